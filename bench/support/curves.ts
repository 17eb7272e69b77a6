/** Costs by size, as rows of the table and as one picture. */
import { rowsOf, type Curve, type Goal, type Row } from "./report.ts";
import { median } from "./statistics.ts";

/** The goal of each size: it costs no more times the smallest one's than it is larger. */
export function rowsOfCurve({ name, of, unit, points }: Curve): Row[] {
  const [first] = points;
  return points.flatMap(({ size, ours, bare, limit }) => {
    const subject = `${size.toLocaleString("en")} ${of}`;
    const peer = `bare server, ${subject}`;
    const goal = ({ median: cost, ratio }: Row): Goal => {
      const isLinear = first === undefined || cost / median(first.ours) <= size / first.size;
      const isBeside = limit === undefined || (ratio !== undefined && ratio <= limit);
      return { text: `≤ linear${limit === undefined ? "" : `, ≤ ${limit} ×`}`, met: isLinear && isBeside };
    };
    const samples = bare === undefined ? { [subject]: ours } : { [subject]: ours, [peer]: bare };
    return rowsOf({ measure: `growth: ${name}`, unit }, samples, bare && peer, { [subject]: goal });
  });
}

const [WIDTH, HEIGHT, COLUMNS] = [290, 190, 3];
/** Around the place of the lines, in pixels. */
const INSIDE = { left: 64, right: 24, top: 40, bottom: 34 };
const LEAST_RANGE = 20;
const FONT = "font-family='system-ui, sans-serif' font-size='11'";

/** Both axes grow by factors, so that a dashed line, which is what is linear, has the same slope everywhere. */
export function plot(curves: readonly Curve[]): string {
  const rows = Math.ceil(curves.length / COLUMNS);
  const [width, height] = [COLUMNS * WIDTH, rows * HEIGHT];
  const panels = curves.map((curve, index) => {
    const place = `translate(${(index % COLUMNS) * WIDTH} ${Math.floor(index / COLUMNS) * HEIGHT})`;
    return `<g transform="${place}">\n${panel(curve).join("\n")}\n</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<g ${FONT} fill="#333">`,
    ...panels,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function panel({ name, of, unit, points }: Curve): string[] {
  const sizes = points.map(({ size }) => size);
  const [smallest = 1, largest = 1] = [sizes[0], sizes.at(-1)];
  const ours = points.map((point) => median(point.ours));
  const bare = points.flatMap((point) => (point.bare === undefined ? [] : [median(point.bare)]));
  const costs = [...ours, ...bare];
  const low = Math.min(...costs) / 1.5;
  // What hardly varies looks flat.
  const high = Math.max(Math.max(...costs) * 1.5, low * LEAST_RANGE);
  const [right, bottom] = [WIDTH - INSIDE.right, HEIGHT - INSIDE.bottom];
  const x = (size: number): number => INSIDE.left + scaled(size, smallest, largest) * (right - INSIDE.left);
  const y = (cost: number): number => bottom - scaled(cost, low, high) * (bottom - INSIDE.top);
  const line = (list: readonly number[], style: string): string => {
    const at = list.map((cost, index) => `${x(sizes[index] ?? 1).toFixed(1)},${y(cost).toFixed(1)}`);
    return `<polyline points="${at.join(" ")}" fill="none" ${style}/>`;
  };
  const text = (words: string, at: readonly [number, number], more = ""): string =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" ${more}>${words}</text>`;
  const [start = 1] = ours;
  const end = Math.min(largest, (smallest * high) / start);
  return [
    text(name, [INSIDE.left, 18], 'font-weight="600"'),
    `<path d="M${INSIDE.left} ${INSIDE.top}V${bottom}H${right}" fill="none" stroke="#999"/>`,
    `<line x1="${x(smallest)}" y1="${y(start).toFixed(1)}" x2="${x(end).toFixed(1)}" y2="${y((start * end) / smallest).toFixed(1)}" stroke="#bbb" stroke-dasharray="4 4"/>`,
    ...(bare.length === 0 ? [] : [line(bare, 'stroke="#e07b39" stroke-width="1.5"')]),
    line(ours, 'stroke="#2563eb" stroke-width="2"'),
    ...ours.map(
      (cost, index) =>
        `<circle cx="${x(sizes[index] ?? 1).toFixed(1)}" cy="${y(cost).toFixed(1)}" r="2.5" fill="#2563eb"/>`,
    ),
    ...sizes.map((size) => text(size.toLocaleString("en"), [x(size), bottom + 14], 'text-anchor="middle"')),
    text(of, [(INSIDE.left + right) / 2, bottom + 28], 'text-anchor="middle" fill="#777"'),
    ...[Math.min(...ours), Math.max(...ours)].map((cost) =>
      text(`${shown(cost)} ${unit}`, [INSIDE.left - 5, y(cost) + 4], 'text-anchor="end"'),
    ),
  ];
}

/** Where a value lies between two others, by factors: 0 to 1. */
function scaled(value: number, low: number, high: number): number {
  return high === low ? 0.5 : Math.log(value / low) / Math.log(high / low);
}

function shown(cost: number): string {
  return cost >= 100 ? Math.round(cost).toLocaleString("en") : cost.toPrecision(2);
}
