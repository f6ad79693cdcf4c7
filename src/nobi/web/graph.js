// A graph over the moves of a game: Black's chance to win. Where nothing is known there is a gap.
const W = 300, H = 96;

export default {
  props: {
    chances: { type: Array, default: () => [] }, // [[number of moves, chance], ...] in order
    total: { type: Number, default: 0 },
    current: { type: Number, default: 0 },
  },
  template: `
<div class="graph">
 <svg ref="svg" viewBox="0 0 ${W} ${H}" preserveAspectRatio="none" role="img" :aria-label="text" @click="click" @pointermove="move" @pointerleave="leave">
  <line x1="0" x2="${W}" y1="${H / 2}" y2="${H / 2}" class="graph-half"/>
  <path :d="area" class="graph-area"/><path :d="line" class="graph-line"/>
  <line :x1="x(current)" :x2="x(current)" y1="0" y2="${H}" class="graph-now"/>
  <line ref="cross" x1="0" x2="0" y1="0" y2="${H}" class="graph-cross" visibility="hidden"/>
 </svg>
 <div class="graph-text"><span ref="tip">{{ text }}</span></div>
</div>`,
  computed: {
    parts() { // runs of neighbouring values; a search tells every second one
      const out = [];
      for (const [ply, chance] of this.chances) {
        const part = out[out.length - 1];
        if (part && ply - part[part.length - 1][0] <= 2) part.push([ply, chance]); else out.push([[ply, chance]]);
      }
      return out;
    },
    line() { return this.parts.map((part) => part.map(([p, c], i) => `${i ? "L" : "M"}${this.x(p)} ${this.y(c)}`).join("") + (part.length === 1 ? `h.01` : "")).join(""); },
    area() { return this.parts.map((part) => `M${this.x(part[0][0])} ${H}` + part.map(([p, c]) => `L${this.x(p)} ${this.y(c)}`).join("") + `L${this.x(part[part.length - 1][0])} ${H}Z`).join(""); },
    text() {
      const known = this.chances.filter(([ply]) => ply <= this.current).pop();
      return known ? `Black's chance after move ${known[0]}: ${Math.round(100 * known[1])} %` : "Black's chance to win, where a search has told it.";
    },
  },
  methods: {
    x(ply) { return (W * ply) / Math.max(1, this.total); },
    y(chance) { return 3 + (H - 6) * (1 - chance); },
    ply(e) { const r = this.$refs.svg.getBoundingClientRect(); return Math.min(this.total, Math.max(0, Math.round(((e.clientX - r.left) / r.width) * this.total))); },
    click(e) { this.$emit("jump", { ply: this.ply(e) }); },
    move(e) {
      const ply = this.ply(e), known = this.chances.find(([p]) => p === ply), cross = this.$refs.cross;
      cross.setAttribute("x1", this.x(ply)); cross.setAttribute("x2", this.x(ply)); cross.setAttribute("visibility", "visible");
      this.$refs.tip.textContent = known ? `Move ${ply}: Black ${Math.round(100 * known[1])} %` : `Move ${ply}: not known`;
    },
    leave() { this.$refs.cross.setAttribute("visibility", "hidden"); this.$refs.tip.textContent = this.text; },
  },
};
