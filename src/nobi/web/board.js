// The board: an SVG whose unit is one cell, the first point at (0, 0). Each layer is redrawn when its property
// changes. The ghost stone is moved by setting attributes only, so that pointer movement is cheap.
const LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
const NS = "http://www.w3.org/2000/svg";
const STONE = 0.478, SMALL = 0.3, STEP_MS = 60;
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const linked = new Set(); // all boards of the page that show the same position on other sizes
let serial = 0;

function starPoints(n) {
  const c = (n - 1) / 2;
  if (n < 7) return n % 2 ? [[c, c]] : [];
  const a = n >= 13 ? 3 : 2, b = n - 1 - a;
  const out = [[a, a], [a, b], [b, a], [b, b]];
  if (n % 2 && n > 7) out.push([c, c]);
  if (n % 2 && n >= 17) out.push([a, c], [b, c], [c, a], [c, b]);
  return out;
}

// A cell is a whole number of device pixels and lines start at whole pixels, so that all lines are equally sharp.
function geometry(width, n, coordinates) {
  const dpr = window.devicePixelRatio || 1, w = width * dpr;
  const named = coordinates && width / (n + 1.6) >= 20;
  const c0 = width / (n + 1.5), font = clamp(0.33 * c0, 9.5, 14) / c0;
  const least = named ? 0.62 + 1.5 * font : 0.72;
  const cell = Math.max(1, Math.floor(w / (n - 1 + 2 * least)));
  const line = Math.max(1, Math.round(clamp((0.022 * cell) / dpr, 0.8, 1.6) * dpr));
  const edge = line + Math.max(1, Math.round(0.6 * dpr));
  const margin = Math.floor((w - cell * (n - 1)) / 2) + (line % 2 ? 0.5 : 0);
  return { named, font, margin: margin / cell, span: w / cell, line: line / cell, edge: edge / cell, px: cell / dpr };
}

function bytes(text) {
  const raw = atob(text), out = new Int8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

export default {
  props: {
    size: { type: Number, default: 9 },
    stones: { type: String, default: "" },
    last: { type: Number, default: -1 },
    turn: { type: String, default: "b" },
    live: { type: Boolean, default: false }, // whether a click plays a move
    forbidden: { type: Object, default: () => ({}) }, // cell -> sentence
    policy: { type: Array, default: () => [] }, // share of each cell
    ownership: { type: Array, default: () => [] },
    dead: { type: Array, default: () => [] },
    hint: { type: Number, default: -1 },
    mark: { type: Number, default: -1 },
    sweep: { type: Object, default: null }, // {corner, values: base64, run: number, still: whether to show the final state}
    coordinates: { type: Boolean, default: true },
    mini: { type: Boolean, default: false },
    label: { type: String, default: "board" },
    status: { type: String, default: "" }, // class of the element that shows the point under the pointer
    serial: { type: Number, default: 0 }, // changes when the server has refused a move
    link: { type: String, default: "" }, // boards with the same name all mark the point under the pointer
    tip: { type: String, default: "" }, // class of the element that describes this point
    loss: { type: Object, default: null }, // {cell, colour, text, kind}: a move that is reviewed
  },
  data() { return { armed: -1 }; },
  template: `
<div class="nb" :class="{'nb-live': live}" :data-stones="stones" :data-size="size" :data-overlay="overlayName">
 <svg ref="svg" role="application" aria-roledescription="board" :aria-label="label" :tabindex="mini ? -1 : 0"
  @pointermove="move" @pointerleave="leave" @pointerdown="down" @pointerup="up" @keydown="key" @blur="blur">
  <defs>
   <radialGradient :id="'b'+uid" cx=".36" cy=".3" r=".78"><stop offset="0" stop-color="var(--b0)"/><stop offset=".38" stop-color="var(--b1)"/><stop offset="1" stop-color="var(--b2)"/></radialGradient>
   <radialGradient :id="'w'+uid" cx=".38" cy=".3" r=".8"><stop offset="0" stop-color="var(--w0)"/><stop offset=".55" stop-color="var(--w1)"/><stop offset="1" stop-color="var(--w2)"/></radialGradient>
   <radialGradient :id="'s'+uid"><stop offset=".72" stop-color="#1c1206" stop-opacity=".5"/><stop offset=".86" stop-color="#1c1206" stop-opacity=".2"/><stop offset="1" stop-color="#1c1206" stop-opacity="0"/></radialGradient>
  </defs>
  <g ref="grid"></g><g ref="tiles"></g><g ref="aim"></g><g ref="shadows"></g><g ref="stones"></g><g ref="marks"></g><g ref="twin" class="nb-twin"></g>
  <circle ref="ghost" class="nb-ghost" r="${STONE}" visibility="hidden"/>
  <circle ref="cursor" class="nb-cursor" r=".5" visibility="hidden"/>
 </svg>
 <button v-if="armed >= 0" class="nb-confirm" @click="confirm">Play {{ name(armed) }}</button>
</div>`,
  computed: {
    overlayName() { return this.sweep ? "sweep" : this.policy.length ? "policy" : this.ownership.length ? "ownership" : ""; },
  },
  created() {
    this.uid = ++serial; // these are not reactive: changes do not render again
    this.hover = this.pressed = this.cursorAt = this.pending = -1;
    this.drawn = new Map();
    this.timer = 0;
  },
  mounted() {
    this.watcher = new ResizeObserver(() => this.measure());
    this.watcher.observe(this.$el);
    this.measure();
    linked.add(this);
  },
  unmounted() { this.watcher.disconnect(); clearTimeout(this.timer); linked.delete(this); },
  watch: {
    size() { this.forget(); this.armed = -1; this.measure(); },
    stones() { this.pending = -1; this.drawStones(); this.drawMarks(); },
    serial() { this.pending = -1; this.drawStones(); },
    last() { this.drawMarks(); },
    turn() { this.drawGhost(); },
    live() { if (!this.live) this.armed = -1; this.drawGhost(); },
    armed() { this.drawAim(); this.drawGhost(); },
    policy() { this.drawGrid(); this.drawMarks(); },
    ownership() { this.drawGrid(); this.drawMarks(); },
    dead() { this.drawStones(); },
    hint() { this.drawMarks(); },
    mark() { this.drawMarks(); },
    loss() { this.drawMarks(); },
    coordinates() { this.measure(); },
    sweep(now, before) { if (!now !== !before) { this.forget(); this.drawStones(); this.drawMarks(); } this.drawGrid(); this.runSweep(); },
  },
  methods: {
    // --- geometry ---------------------------------------------------------------------------------------------------
    measure() {
      const least = 0.72, widest = 88 * (this.size - 1 + 2 * (this.mini ? least : 1.05));
      this.$el.style.maxWidth = `${Math.round(widest)}px`;
      const width = this.$refs.svg.getBoundingClientRect().width;
      if (width) { this.width = width; this.drawAll(); }
    },
    drawAll() {
      if (!this.width) return;
      const g = (this.geo = geometry(this.width, this.size, this.coordinates && !this.mini));
      this.$refs.svg.setAttribute("viewBox", `${-g.margin} ${-g.margin} ${g.span} ${g.span}`);
      this.drawGrid(); this.drawStones(); this.drawMarks(); this.drawAim(); this.drawGhost(); this.runSweep();
    },
    name(p) { return LETTERS[p % this.size] + (this.size - Math.floor(p / this.size)); },
    xy(p) { return [p % this.size, Math.floor(p / this.size)]; },
    at(e) {
      const r = this.$refs.svg.getBoundingClientRect(), g = this.geo, n = this.size;
      const x = Math.round(((e.clientX - r.left) / r.width) * g.span - g.margin);
      const y = Math.round(((e.clientY - r.top) / r.height) * g.span - g.margin);
      return x < 0 || y < 0 || x >= n || y >= n ? -1 : y * n + x;
    },
    free(p) { return p >= 0 && this.stones[p] === "." && !(p in this.forbidden); },
    // --- layers -----------------------------------------------------------------------------------------------------
    drawGrid() {
      const g = this.geo, n = this.size, end = n - 1;
      if (!g) return;
      let d = "", stars = "", names = "";
      for (let i = 1; i < end; i++) d += `M0 ${i}H${end}M${i} 0V${end}`;
      const r = clamp(0.1 * g.px, 1.7, 4.2) / g.px, busy = this.busyCells();
      for (const [x, y] of starPoints(n)) if (!busy.has(y * n + x)) stars += `<circle class="nb-star" cx="${x}" cy="${y}" r="${r}"/>`;
      if (g.named) {
        const off = 0.56 + 0.66 * g.font;
        for (let i = 0; i < n; i++) {
          names += `<text data-x="${i}" x="${i}" y="${-off}" dy=".35em">${LETTERS[i]}</text><text data-x="${i}" x="${i}" y="${end + off}" dy=".35em">${LETTERS[i]}</text>`;
          names += `<text data-y="${i}" x="${-off}" y="${i}" dy=".35em">${n - i}</text><text data-y="${i}" x="${end + off}" y="${i}" dy=".35em">${n - i}</text>`;
        }
      }
      this.$refs.grid.innerHTML = `<g class="nb-grid" stroke-width="${g.line}"><path d="${d}"/><rect width="${end}" height="${end}" stroke-width="${g.edge}"/></g>${stars}<g class="nb-coords" font-size="${g.font}">${names}</g>`;
    },
    busyCells() {
      const busy = new Set();
      this.policy.forEach((v, p) => { if (v >= 0.002 && this.stones[p] === ".") busy.add(p); });
      this.ownership.forEach((v, p) => { if (Math.abs(v) >= 0.2) busy.add(p); });
      if (this.sweep) for (let p = 0; p < this.size ** 2; p++) busy.add(p);
      return busy;
    },
    forget() { this.drawn.clear(); this.$refs.stones.innerHTML = this.$refs.shadows.innerHTML = ""; },
    drawStones() {
      if (!this.geo || this.stones.length !== this.size ** 2) return;
      const dead = new Set(this.dead), first = this.drawn.size === 0;
      for (const [key, [stone, shadow]] of this.drawn) {
        const p = Number(key.slice(1));
        if (this.stones[p] === key[0] || this.pending === p) continue;
        this.drawn.delete(key); shadow.remove();
        stone.setAttribute("class", `${stone.getAttribute("class")} nb-gone`);
        setTimeout(() => stone.remove(), 290);
      }
      for (let p = 0; p < this.stones.length; p++) {
        const c = this.stones[p];
        if (c === ".") continue;
        if (!this.drawn.has(c + p)) this.addStone(p, c, !first);
        this.drawn.get(c + p)[0].classList.toggle("nb-dead", dead.has(p));
      }
    },
    addStone(p, c, isNew) {
      const [x, y] = this.xy(p), stone = document.createElementNS(NS, "circle"), shadow = document.createElementNS(NS, "circle");
      const set = (e, o) => { for (const k in o) e.setAttribute(k, o[k]); };
      set(stone, { cx: x, cy: y, r: this.sweep ? SMALL : STONE, fill: `url(#${c}${this.uid})`, class: `nb-stone nb-${c}${isNew ? " nb-new" : ""}` });
      stone.style.transformOrigin = `${x}px ${y}px`;
      set(shadow, { cx: x + 0.035, cy: y + 0.065, r: this.sweep ? 0.36 : 0.555, fill: `url(#s${this.uid})` });
      this.$refs.shadows.append(shadow); this.$refs.stones.append(stone);
      this.drawn.set(c + p, [stone, shadow]);
    },
    drawMarks() {
      const g = this.geo;
      if (!g) return;
      let out = "";
      if (this.last >= 0 && !this.sweep && this.stones[this.last] !== ".") {
        const [x, y] = this.xy(this.last);
        out += `<circle class="nb-last nb-on-${this.stones[this.last]}" cx="${x}" cy="${y}" r=".225"/>`;
      }
      if (!this.sweep) out += this.ownershipText() + this.policyText(g);
      for (const [p, kind] of [[this.hint, "nb-hint"], [this.mark, "nb-mark"]]) if (p >= 0) {
        const [x, y] = this.xy(p);
        out += kind === "nb-hint" ? `<g class="nb-hint">${this.policy[p] >= 0.01 ? "" : `<circle class="inner" cx="${x}" cy="${y}" r=".3"/>`}<circle cx="${x}" cy="${y}" r="${this.policy[p] >= 0.01 ? 0.47 : 0.42}"/></g>` : `<circle class="nb-mark" cx="${x}" cy="${y}" r=".46"/>`;
      }
      this.$refs.marks.innerHTML = out + this.lossText(g);
    },
    lossText(g) {
      const l = this.loss;
      if (!l || l.cell < 0) return "";
      const [x, y] = this.xy(l.cell), size = clamp(13 / g.px, 0.3, 0.62), wide = (0.62 * l.text.length + 0.7) * size;
      const left = x + 0.36 + wide > this.size - 1 + g.margin ? x - 0.36 - wide : x + 0.36, top = y - 0.36 - 1.3 * size < -g.margin ? y + 0.3 : y - 0.36 - 0.9 * size;
      let out = `<circle class="nb-tried" cx="${x}" cy="${y}" r="${STONE}" fill="url(#${l.colour}${this.uid})"/>`;
      if (l.text) out += `<g class="nb-loss nb-${l.kind}"><rect x="${left}" y="${top}" width="${wide}" height="${1.35 * size}" rx="${0.3 * size}"/><text x="${left + wide / 2}" y="${top + 0.68 * size}" dy=".35em" font-size="${size}">${l.text}</text></g>`;
      return out;
    },
    ownershipText() {
      let out = "";
      this.ownership.forEach((o, p) => {
        const c = o > 0 ? "b" : "w";
        if (Math.abs(o) < 0.2 || this.stones[p] === c) return;
        const [x, y] = this.xy(p), s = 0.14 + 0.25 * Math.sqrt(Math.abs(o));
        out += `<rect class="nb-own-${c}" x="${x - s / 2}" y="${y - s / 2}" width="${s}" height="${s}" rx=".05" opacity="${0.25 + 0.65 * Math.abs(o)}"/>`;
      });
      return out && `<g class="nb-own">${out}</g>`;
    },
    policyText(g) {
      if (!this.policy.length) return "";
      const order = [...this.policy.keys()].sort((a, b) => this.policy[b] - this.policy[a]);
      const top = Math.max(0.2, this.policy[order[0]]), size = Math.min(24 / g.px, 0.52, Math.max(0.4, 9 / g.px));
      let out = "";
      order.forEach((p, rank) => {
        const v = this.policy[p];
        if (v < 0.002 || this.stones[p] !== "." || (this.loss && this.loss.cell === p && rank > 0)) return;
        const [x, y] = this.xy(p), t = Math.sqrt(v / top), a = 0.94 * Math.pow(t, 1.5), at = `cx="${x}" cy="${y}"`;
        if (v < 0.01 || rank >= 12) { out += `<circle class="nb-move" ${at} r="${0.04 + 0.7 * Math.sqrt(Math.min(v, 0.01))}" fill-opacity=".6"/>`; return; }
        const r = 0.33 + 0.115 * t;
        out += `<circle class="nb-clear" ${at} r="${r}" fill-opacity="${0.62 + 0.3 * t}"/><circle class="nb-move" ${at} r="${r}" fill-opacity="${a}"/>`;
        if (rank === 0) out += `<circle class="nb-best" ${at} r="${r + 0.01}"/>`;
        if (g.px >= 17) out += `<text class="${a > 0.82 ? "strong " : ""}${a > 0.68 ? "mid" : ""}" x="${x}" y="${y}" dy=".355em" font-size="${v >= 0.995 ? 0.8 * size : size}">${Math.round(100 * v)}</text>`;
      });
      return `<g class="nb-policy">${out}</g>`;
    },
    drawAim() {
      const n = this.size, [x, y] = this.xy(Math.max(0, this.armed));
      this.$refs.aim.innerHTML = this.armed < 0 ? "" : `<path class="nb-aim" d="M${x} 0V${n - 1}M0 ${y}H${n - 1}"/>`;
    },
    drawGhost() {
      const ghost = this.$refs.ghost, p = this.armed >= 0 ? this.armed : this.hover;
      const show = this.live && this.pending < 0 && this.free(p);
      ghost.setAttribute("visibility", show ? "visible" : "hidden");
      if (!show) return;
      const [x, y] = this.xy(p);
      ghost.setAttribute("cx", x); ghost.setAttribute("cy", y);
      ghost.setAttribute("fill", `url(#${this.turn}${this.uid})`);
      ghost.setAttribute("opacity", this.armed >= 0 ? 0.8 : 0.5);
    },
    // --- sweeps -----------------------------------------------------------------------------------------------------
    runSweep() {
      clearTimeout(this.timer);
      const layer = this.$refs.tiles, s = this.sweep;
      layer.innerHTML = "";
      if (!s || !this.geo) return;
      const n = this.size, values = bytes(s.values), groups = [];
      for (let d = 0; d < 2 * n - 1; d++) {
        let out = "";
        for (let i = Math.max(0, d - n + 1); i <= Math.min(d, n - 1); i++) {
          const x = s.corner & 1 ? n - 1 - i : i, y = s.corner & 2 ? n - 1 - (d - i) : d - i, v = values[y * n + x] / 127;
          out += `<rect class="nb-seen" x="${x - 0.5}" y="${y - 0.5}" width="1" height="1"/>`;
          if (Math.abs(v) <= 0.02) continue;
          const side = 0.14 + 0.66 * Math.sqrt(Math.min(1, Math.abs(v)));
          out += `<rect class="${v > 0 ? "nb-pos" : "nb-neg"}" x="${x - side / 2}" y="${y - side / 2}" width="${side}" height="${side}" rx="${0.16 * side}" opacity="${0.5 + 0.4 * Math.abs(v)}"/>`;
        }
        const group = document.createElementNS(NS, "g");
        group.innerHTML = out; group.setAttribute("visibility", "hidden");
        layer.append(group); groups.push(group);
      }
      const glow = document.createElementNS(NS, "path"), line = document.createElementNS(NS, "path");
      glow.setAttribute("class", "nb-glow"); line.setAttribute("class", "nb-front");
      layer.append(glow, line);
      if (this.hover >= 0) this.markTwins(this.hover);
      const still = s.still || (window.matchMedia && matchMedia("(prefers-reduced-motion: reduce)").matches);
      const end = () => { glow.remove(); line.remove(); this.$emit("swept", { run: s.run, steps: groups.length }); };
      if (still) { groups.forEach((e) => e.setAttribute("visibility", "visible")); glow.remove(); line.remove(); if (!s.still) this.timer = setTimeout(end, 900); return; }
      let step = 0;
      const advance = () => {
        if (step === groups.length) { end(); return; }
        groups[step].setAttribute("visibility", "visible");
        const points = [];
        for (let i = Math.max(0, step - n + 1); i <= Math.min(step, n - 1); i++) points.push([s.corner & 1 ? n - 1 - i : i, s.corner & 2 ? n - 1 - (step - i) : step - i]);
        const d = points.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join("");
        glow.setAttribute("d", d); line.setAttribute("d", d);
        step++;
        this.timer = setTimeout(advance, STEP_MS);
      };
      advance();
    },
    // --- pointer and keys -------------------------------------------------------------------------------------------
    move(e) {
      if (e.pointerType === "touch" && this.armed < 0) return;
      const p = this.at(e);
      if (e.pointerType === "touch") { if (this.pressed >= 0 && this.free(p)) this.armed = p; return; }
      if (p === this.hover) return;
      this.hover = p;
      this.$el.classList.toggle("nb-no", this.live && p >= 0 && !this.free(p));
      this.drawGhost(); this.describe(p); this.markTwins(p);
    },
    // --- the same point on boards of other sizes, and the inputs of a cell of a sweep ---------------------------------
    markTwins(p) {
      if (!this.link) return;
      const n = this.size, shift = (other) => Math.floor((other.size - n) / 2), parts = [];
      for (const board of linked) {
        if (board.link !== this.link) continue;
        const [x, y] = this.xy(Math.max(0, p)), d = shift(board), m = board.size;
        const there = p < 0 || x + d < 0 || y + d < 0 || x + d >= m || y + d >= m ? -1 : (y + d) * m + x + d;
        board.showTwin(board === this ? -1 : there);
        if (there >= 0) parts.push(`${board.name(there)} on ${m}×${m}${board.amount(there)}`);
      }
      const place = this.tip && document.querySelector(`.${this.tip}`);
      if (place) place.innerHTML = p < 0 ? "" : `<span>${parts.join(" · ")}</span>` + this.gateBars(p);
      this.drawSeen(p);
    },
    amount(p) {
      if (this.sweep) return `: ${(bytes(this.sweep.values)[p] / 127).toFixed(2).replace("-", "−")}`;
      return this.stones[p] !== "." ? "" : this.policy.length ? `: ${(100 * this.policy[p]).toFixed(1)} %` : "";
    },
    showTwin(p) {
      if (p < 0) { this.$refs.twin.innerHTML = ""; return; }
      const [x, y] = this.xy(p);
      this.$refs.twin.innerHTML = `<circle class="nb-twin-ring" cx="${x}" cy="${y}" r=".5"/>`;
    },
    drawSeen(p) { // the rectangle of inputs of a cell, and arrows from its two predecessors
      if (!this.sweep || !this.sweep.still || p < 0) { if (this.sweep) this.$refs.twin.innerHTML = ""; return; }
      const [x, y] = this.xy(p), n = this.size, c = this.sweep.corner, x0 = c & 1 ? n - 1 : 0, y0 = c & 2 ? n - 1 : 0, dx = c & 1 ? 1 : -1, dy = c & 2 ? 1 : -1;
      let out = `<rect class="nb-field" x="${Math.min(x, x0) - 0.5}" y="${Math.min(y, y0) - 0.5}" width="${Math.abs(x - x0) + 1}" height="${Math.abs(y - y0) + 1}" rx=".12"/>`;
      const arrow = (fx, fy, tx, ty) => { const vx = tx - fx, vy = ty - fy; return `<path class="nb-arrow" d="M${fx} ${fy}L${tx - 0.18 * vx} ${ty - 0.18 * vy}m${-0.2 * vx - 0.13 * vy} ${-0.2 * vy + 0.13 * vx}l${0.2 * vx + 0.13 * vy} ${0.2 * vy - 0.13 * vx}l${-0.2 * vx + 0.13 * vy} ${-0.2 * vy - 0.13 * vx}"/>`; };
      if (x + dx >= 0 && x + dx < n) out += arrow(x + dx, y, x, y);
      if (y + dy >= 0 && y + dy < n) out += arrow(x, y + dy, x, y);
      this.$refs.twin.innerHTML = out;
    },
    gateBars(p) {
      const s = this.sweep;
      if (!s || !s.still || !s.gates) return "";
      const values = bytes(s.gates), cells = this.size ** 2;
      return s.names.map((name, i) => { const v = values[i * cells + p] / 127; return `<span class="gate"><i>${name}</i><b class="${v < 0 ? "n" : ""}"><u style="width:${Math.round(100 * Math.abs(v))}%"></u></b>${v.toFixed(2).replace("-", "−")}</span>`; }).join("");
    },
    describe(p) {
      for (const text of this.$refs.grid.querySelectorAll("text.on")) text.classList.remove("on");
      if (p >= 0) for (const text of this.$refs.grid.querySelectorAll(`text[data-x="${p % this.size}"],text[data-y="${Math.floor(p / this.size)}"]`)) text.classList.add("on");
      const place = this.status && document.querySelector(`.${this.status}`);
      if (!place) return;
      const why = p in this.forbidden ? ` · ${this.forbidden[p]}` : "";
      place.textContent = p < 0 ? "" : this.name(p) + (this.live ? why : "");
    },
    leave() { this.hover = -1; this.$el.classList.remove("nb-no"); this.drawGhost(); this.describe(-1); this.markTwins(-1); },
    down(e) { this.pressed = this.at(e); },
    up(e) {
      const p = this.at(e), same = p === this.pressed || this.armed >= 0;
      this.pressed = -1;
      if (!this.live || p < 0 || !same) return;
      if (e.pointerType === "touch" && this.geo.px < 26 && this.free(p)) {
        if (this.armed !== p) { this.armed = p; this.describe(p); return; }
      }
      this.play(p);
    },
    confirm() { this.play(this.armed); },
    play(p) {
      this.armed = -1; this.cursorAt = this.cursorAt >= 0 ? p : -1;
      if (this.free(p)) { this.pending = p; this.addStone(p, this.turn, true); this.drawGhost(); }
      this.$emit("play", { cell: p });
    },
    key(e) {
      const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key], n = this.size;
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (move) {
        const from = this.cursorAt >= 0 ? this.cursorAt : this.last >= 0 ? this.last : Math.floor((n * n) / 2);
        const [x, y] = this.xy(from);
        this.cursorAt = this.cursorAt < 0 ? from : clamp(y + move[1], 0, n - 1) * n + clamp(x + move[0], 0, n - 1);
      } else if ((e.key === "Enter" || e.key === " ") && this.cursorAt >= 0) {
        if (this.live) this.play(this.cursorAt);
      } else if (e.key === "Escape") this.cursorAt = this.armed = -1;
      else return;
      e.preventDefault(); e.stopPropagation();
      this.drawCursor();
    },
    blur() { this.cursorAt = -1; this.drawCursor(); },
    drawCursor() {
      const c = this.$refs.cursor, p = this.cursorAt;
      c.setAttribute("visibility", p < 0 ? "hidden" : "visible");
      if (p >= 0) { const [x, y] = this.xy(p); c.setAttribute("cx", x); c.setAttribute("cy", y); }
      this.describe(p);
    },
  },
};
