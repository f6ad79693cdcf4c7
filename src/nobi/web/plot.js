// A small chart: lines, bars, points or a matrix, drawn at the actual width, so that text keeps its size.
// Points, bars and cells can be picked by a click, or by the arrow keys and Enter.
const PAD = { left: 44, right: 14, top: 12, bottom: 38 };
const TONES = ["var(--accent)", "var(--second)", "var(--muted)", "var(--doubtful)"];
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const short = (v) => String(Math.round(v * 1000) / 1000).replace("-", "−");

function ticks(low, high, most) {
  const span = high - low || 1, raw = span / Math.max(1, most), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw - 1e-12), out = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + 1e-9 * span; v += step) out.push(Math.abs(v) < 1e-12 ? 0 : v);
  return out;
}

export default {
  props: {
    lines: { type: Array, default: () => [] }, // [{name, points: [[x, y], ...]}]
    points: { type: Array, default: () => [] }, // [[x, y], ...]
    bars: { type: Array, default: () => [] }, // [{label, value, text, on}]
    matrix: { type: Array, default: () => [] }, // rows of values from -1 to 1, the first row at the bottom
    picked: { type: Number, default: -1 }, // index of the marked point, bar or cell
    x: { type: Object, default: () => ({}) }, // {low, high, label, names}
    y: { type: Object, default: () => ({}) },
    ratio: { type: Number, default: 0 }, // height divided by width; 0 uses `height`
    height: { type: Number, default: 240 },
    diagonal: { type: Boolean, default: false },
    zero: { type: Boolean, default: false }, // a line at 0
    live: { type: Boolean, default: false }, // whether a click picks an item
    label: { type: String, default: "chart" },
    noun: { type: String, default: "" }, // name of a picked item in the text below
  },
  template: `
<div class="plot" :class="{'plot-live': live}" :data-count="count">
 <div class="plot-legend" v-if="lines.length > 1"><span v-for="(line, i) in lines"><i :style="{background: tone(i)}"></i>{{ line.name }}</span></div>
 <svg ref="svg" role="img" :aria-label="label" :tabindex="live ? 0 : -1" @click="click" @pointermove="move" @pointerleave="leave" @keydown="key"></svg>
 <div class="plot-tip" ref="tip">{{ text }}</div>
</div>`,
  computed: {
    count() { return this.lines.length ? this.lines[0].points.length : this.points.length || this.bars.length || this.matrix.length * (this.matrix[0] || []).length; },
    text() { return this.picked >= 0 ? this.describe(this.picked) : this.x.hint || ""; },
    drawn() { return [this.lines, this.points, this.bars, this.matrix, this.picked, this.x, this.y, this.height]; },
  },
  created() { this.width = 0; this.hover = -1; },
  mounted() {
    this.watcher = new ResizeObserver(() => { const w = this.$el.clientWidth; if (w && w !== this.width) { this.width = w; this.draw(); } });
    this.watcher.observe(this.$el);
    this.width = this.$el.clientWidth; this.draw();
  },
  unmounted() { this.watcher.disconnect(); },
  watch: { drawn() { this.draw(); }, text() { if (this.$refs.tip) this.$refs.tip.textContent = this.text; } },
  methods: {
    tone(i) { return TONES[i % TONES.length]; },
    range(axis, index, least) {
      if (axis.low !== undefined && axis.high !== undefined) return [axis.low, axis.high];
      const all = [...this.points, ...this.lines.flatMap((line) => line.points)].map((p) => p[index]);
      let low = Math.min(...all, ...least), high = Math.max(...all, ...least);
      if (!isFinite(low)) [low, high] = [0, 1];
      if (axis.low !== undefined) low = axis.low;
      if (axis.high !== undefined) high = axis.high;
      return [low, high === low ? low + 1 : high];
    },
    draw() {
      const W = this.width;
      if (W < 120) return; // not laid out yet
      const H = Math.round(this.ratio ? Math.min(this.ratio * W, 560) : this.height), svg = this.$refs.svg;
      svg.setAttribute("viewBox", `0 0 ${W} ${H}`); svg.style.height = `${H}px`;
      const left = PAD.left, right = W - PAD.right, top = PAD.top, bottom = H - PAD.bottom;
      const rows = this.matrix.length, columns = rows ? this.matrix[0].length : 0;
      const xr = this.bars.length ? [-0.5, this.bars.length - 0.5] : rows ? [0, columns] : this.range(this.x, 0, []);
      const yr = rows ? [0, rows] : this.range(this.y, 1, []);
      const X = (v) => left + ((v - xr[0]) / (xr[1] - xr[0])) * (right - left);
      const Y = (v) => bottom - ((v - yr[0]) / (yr[1] - yr[0])) * (bottom - top);
      this.map = { X, Y, xr, yr, left, right, top, bottom };
      let out = "";
      const yScale = this.y.scale || 1, xScale = this.x.scale || 1;
      for (const v of ticks(yr[0] * yScale, yr[1] * yScale, (bottom - top) / 46)) {
        const at = Y(v / yScale).toFixed(1);
        out += `<line class="plot-rule" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/><text class="plot-y" x="${left - 8}" y="${at}" dy=".34em">${short(v)}${this.y.unit || ""}</text>`;
      }
      if (this.bars.length) this.bars.forEach((bar, i) => { out += `<text class="plot-x" x="${X(i)}" y="${bottom + 16}">${escape(bar.label)}</text>`; });
      else for (const v of ticks(xr[0] * xScale, xr[1] * xScale, (right - left) / 64)) out += `<text class="plot-x" x="${X(v / xScale).toFixed(1)}" y="${bottom + 16}">${short(v)}</text>`;
      if (this.x.label) out += `<text class="plot-name" x="${right}" y="${H - 6}" text-anchor="end">${escape(this.x.label)}</text>`;
      if (this.y.label) out += `<text class="plot-name" x="${left}" y="${H - 6}">${escape(this.y.label)}</text>`;
      if (this.zero && yr[0] < 0 && yr[1] > 0) out += `<line class="plot-zero" x1="${left}" x2="${right}" y1="${Y(0)}" y2="${Y(0)}"/>`;
      if (this.diagonal) out += `<line class="plot-zero" x1="${X(xr[0])}" y1="${Y(yr[0])}" x2="${X(xr[1])}" y2="${Y(yr[1])}"/>`;
      this.lines.forEach((line, i) => {
        if (!line.points.length) return;
        const d = line.points.map(([x, y], k) => `${k ? "L" : "M"}${X(x).toFixed(1)} ${Y(y).toFixed(1)}`).join("");
        if (i === 0) out += `<path d="${d}L${X(line.points[line.points.length - 1][0]).toFixed(1)} ${bottom}L${X(line.points[0][0]).toFixed(1)} ${bottom}Z" fill="${this.tone(i)}" fill-opacity=".10"/>`;
        out += `<path d="${d}" class="plot-line" stroke="${this.tone(i)}" stroke-width="${i ? 1.5 : 2.25}"/>`;
        const [x, y] = line.points[line.points.length - 1];
        out += `<circle cx="${X(x).toFixed(1)}" cy="${Y(y).toFixed(1)}" r="3.5" fill="${this.tone(i)}"/>`;
      });
      this.points.forEach(([x, y], i) => { if (i !== this.picked) out += `<circle class="plot-point" data-i="${i}" cx="${X(x).toFixed(1)}" cy="${Y(y).toFixed(1)}" r="5"/>`; });
      if (this.points[this.picked]) { const [x, y] = this.points[this.picked]; out += `<circle class="plot-point on" data-i="${this.picked}" cx="${X(x).toFixed(1)}" cy="${Y(y).toFixed(1)}" r="7.5"/>`; }
      const width = Math.min(56, (0.62 * (right - left)) / Math.max(1, this.bars.length));
      this.bars.forEach((bar, i) => {
        const y = Y(bar.value);
        out += `<rect class="plot-bar${bar.on ? " on" : ""}" x="${X(i) - width / 2}" width="${width}" y="${y}" height="${Math.max(1, bottom - y)}" rx="3"/>`;
        out += `<text class="plot-value${bar.on ? " on" : ""}" x="${X(i)}" y="${y - 5}">${escape(bar.text)}</text>`;
      });
      if (rows) out += this.matrixText(X, Y, rows, columns);
      out += `<line class="plot-base" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`;
      svg.innerHTML = out;
    },
    matrixText(X, Y, rows, columns) {
      const canvas = document.createElement("canvas");
      canvas.width = columns; canvas.height = rows;
      const context = canvas.getContext("2d"), image = context.createImageData(columns, rows);
      const tones = [[122, 62, 20], [247, 234, 208], [8, 86, 88]]; // lost, drawn, won
      this.matrix.forEach((row, i) => row.forEach((v, j) => {
        const t = Math.sign(v) * Math.sqrt(Math.min(1, Math.abs(v))), end = tones[t < 0 ? 0 : 2], at = 4 * ((rows - 1 - i) * columns + j);
        for (let c = 0; c < 3; c++) image.data[at + c] = Math.round(tones[1][c] + Math.abs(t) * (end[c] - tones[1][c]));
        image.data[at + 3] = 255;
      }));
      context.putImageData(image, 0, 0);
      let out = `<image href="${canvas.toDataURL()}" x="${X(0)}" y="${Y(rows)}" width="${X(columns) - X(0)}" height="${Y(0) - Y(rows)}" preserveAspectRatio="none" style="image-rendering:pixelated"/>`;
      for (const [i, kind] of [[this.hover, "plot-cell"], [this.picked, "plot-cell on"]]) if (i >= 0) {
        const row = Math.floor(i / columns), column = i % columns;
        out += `<rect class="${kind}" x="${X(column)}" y="${Y(row + 1)}" width="${X(column + 1) - X(column)}" height="${Y(row) - Y(row + 1)}"/>`;
      }
      return out;
    },
    describe(i) {
      if (this.matrix.length) {
        const columns = this.matrix[0].length, row = Math.floor(i / columns), column = i % columns, v = (this.matrix[row] || [])[column];
        if (v === undefined) return "";
        const a = (this.y.names || [])[row] || row + 1, b = (this.x.names || [])[column] || column + 1;
        return `${a} against ${b}: ${v > 0 ? "the first wins" : v < 0 ? "the second wins" : "even"} (${short(v)})`;
      }
      if (this.points[i]) return `${this.noun} ${i + 1}: ${this.points[i].map(short).join(" and ")}`;
      return this.bars[i] ? `${this.bars[i].label}: ${this.bars[i].text}` : "";
    },
    at(e) { // index of the item under the pointer
      const r = this.$refs.svg.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top, m = this.map;
      if (!m) return -1;
      if (this.matrix.length) {
        const column = Math.floor(((x - m.left) / (m.right - m.left)) * m.xr[1]), row = Math.floor(((m.bottom - y) / (m.bottom - m.top)) * m.yr[1]);
        return column < 0 || row < 0 || column >= m.xr[1] || row >= m.yr[1] ? -1 : row * m.xr[1] + column;
      }
      let best = -1, nearest = 24 * 24;
      this.points.forEach(([px, py], i) => { const d = (m.X(px) - x) ** 2 + (m.Y(py) - y) ** 2; if (d < nearest) { nearest = d; best = i; } });
      return best;
    },
    click(e) { const i = this.at(e); if (this.live && i >= 0) this.$emit("pick", { i }); },
    move(e) {
      const m = this.map;
      if (this.lines.length && m) {
        const r = this.$refs.svg.getBoundingClientRect(), x = m.xr[0] + ((e.clientX - r.left - m.left) / (m.right - m.left)) * (m.xr[1] - m.xr[0]);
        const words = this.lines.map((line) => { const p = line.points.reduce((a, b) => (Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a), line.points[0] || [0, NaN]); return isNaN(p[1]) ? "" : `${line.name} ${short(p[1])}`; });
        this.$refs.tip.textContent = `${this.x.label || ""} ${Math.max(0, Math.round(x))}: ${words.filter(Boolean).join(", ")}`;
        return;
      }
      const i = this.at(e);
      if (i === this.hover) return;
      this.hover = i;
      if (this.matrix.length) this.draw();
      else for (const p of this.$refs.svg.querySelectorAll(".plot-point")) p.classList.toggle("hover", Number(p.dataset.i) === i);
      this.$refs.tip.textContent = i >= 0 ? this.describe(i) : this.text;
    },
    leave() { this.hover = -1; if (this.matrix.length) this.draw(); this.$refs.tip.textContent = this.text; },
    key(e) {
      if (!this.live || !this.count) return;
      const columns = this.matrix.length ? this.matrix[0].length : 1, start = this.picked < 0 ? 0 : this.picked;
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: columns, ArrowDown: -columns }[e.key];
      if (step === undefined && e.key !== "Enter") return;
      e.preventDefault(); e.stopPropagation();
      this.$emit("pick", { i: Math.min(this.count - 1, Math.max(0, start + (step || 0))) });
    },
  },
};
