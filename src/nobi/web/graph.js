// A graph over the moves of a game: Black's chance to win as an area, the score as a thin line. Unknown values leave
// gaps. A click or an arrow key jumps to a move.
const W = 300, H = 112;
const lead = (v) => (Math.abs(v) < 0.05 ? "the score is even" : `${v > 0 ? "Black" : "White"} ahead by ${Math.abs(v).toFixed(1)}`);

export default {
  props: {
    chances: { type: Array, default: () => [] }, // [[number of moves, chance], ...] in order
    scores: { type: Array, default: () => [] }, // [[number of moves, Black's lead in points], ...] in order
    marks: { type: Array, default: () => [] }, // numbers of moves to mark
    total: { type: Number, default: 0 },
    current: { type: Number, default: 0 },
  },
  template: `
<div class="graph">
 <svg ref="svg" viewBox="0 0 ${W} ${H}" preserveAspectRatio="none" role="slider" tabindex="0" aria-label="move" aria-valuemin="0" :aria-valuemax="total" :aria-valuenow="current" :aria-valuetext="text"
  @click="click" @pointermove="move" @pointerleave="leave" @keydown="key">
  <line x1="0" x2="${W}" y1="${H / 2}" y2="${H / 2}" class="graph-half"/>
  <path :d="area" class="graph-area"/><path :d="line" class="graph-line"/><path :d="scoreLine" class="graph-score"/>
  <line v-for="ply in marks" :x1="x(ply)" :x2="x(ply)" y1="${H - 9}" y2="${H}" class="graph-mark"/>
  <line :x1="x(current)" :x2="x(current)" y1="0" y2="${H}" class="graph-now"/>
  <line ref="cross" x1="0" x2="0" y1="0" y2="${H}" class="graph-cross" visibility="hidden"/>
 </svg>
 <div class="graph-text"><span ref="tip">{{ text }}</span><span class="graph-key"><i v-if="chances.length" class="a"></i><span v-if="chances.length">Black's chance</span><i v-if="scores.length" class="s"></i><span v-if="scores.length">score</span></span></div>
</div>`,
  computed: {
    line() { return this.path(this.chances, (c) => this.y(c)); },
    area() { return this.parts(this.chances).map((part) => `M${this.x(part[0][0])} ${H}` + part.map(([p, c]) => `L${this.x(p)} ${this.y(c)}`).join("") + `L${this.x(part[part.length - 1][0])} ${H}Z`).join(""); },
    largest() { return Math.max(5, ...this.scores.map(([, s]) => Math.abs(s))); },
    scoreLine() { return this.path(this.scores, (s) => H / 2 - (s / this.largest) * (H / 2 - 4)); },
    text() { return this.words(this.current, true); },
  },
  watch: { text() { this.$refs.tip.textContent = this.text; } },
  methods: {
    parts(values) { // runs of adjacent values; a search computes every second one
      const out = [];
      for (const [ply, value] of values) {
        const part = out[out.length - 1];
        if (part && ply - part[part.length - 1][0] <= 2) part.push([ply, value]); else out.push([[ply, value]]);
      }
      return out;
    },
    path(values, y) { return this.parts(values).map((part) => part.map(([p, v], i) => `${i ? "L" : "M"}${this.x(p)} ${y(v)}`).join("") + (part.length === 1 ? "h.01" : "")).join(""); },
    words(ply, latest) {
      const at = (values) => (latest ? values.filter(([p]) => p <= ply).pop() : values.find(([p]) => p === ply));
      const chance = at(this.chances), score = at(this.scores), parts = [];
      if (chance) parts.push(`Black's chance ${Math.round(100 * chance[1])} %`);
      if (score) parts.push(lead(score[1]));
      const move = chance && latest ? chance[0] : score && latest ? score[0] : ply;
      return parts.length ? `Move ${move}: ${parts.join(", ")}` : `Move ${ply}: unknown`;
    },
    x(ply) { return (W * ply) / Math.max(1, this.total); },
    y(chance) { return 3 + (H - 6) * (1 - chance); },
    ply(e) { const r = this.$refs.svg.getBoundingClientRect(); return Math.min(this.total, Math.max(0, Math.round(((e.clientX - r.left) / r.width) * this.total))); },
    click(e) { this.$emit("jump", { ply: this.ply(e) }); },
    key(e) {
      const to = { ArrowLeft: this.current - 1, ArrowRight: this.current + 1, Home: 0, End: this.total }[e.key];
      if (to === undefined) return;
      e.preventDefault(); e.stopPropagation();
      this.$emit("jump", { ply: Math.min(this.total, Math.max(0, to)) });
    },
    move(e) {
      const ply = this.ply(e), cross = this.$refs.cross;
      cross.setAttribute("x1", this.x(ply)); cross.setAttribute("x2", this.x(ply)); cross.setAttribute("visibility", "visible");
      this.$refs.tip.textContent = this.words(ply, false);
    },
    leave() { this.$refs.cross.setAttribute("visibility", "hidden"); this.$refs.tip.textContent = this.text; },
  },
};
