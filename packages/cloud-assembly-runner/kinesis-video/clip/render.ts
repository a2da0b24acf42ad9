/**
 * Renders the test clip: a flight over hills, fields and a river, as raw video (rgb24) on stdout. The ground repeats along
 * the way, so that the last frame is followed by the first. How the clip is made from it: README.md beside this file.
 */
import { once } from 'node:events';

/** Size, frame rate and duration of the raw video; it is scaled to half, which smooths it. */
const VIDEO = { width: 1280, height: 720, rate: 15, seconds: 16 };
/** Metres after which the ground repeats along the way and across. */
const PERIOD = { x: 512, y: 1024 };
/** Points of the ground for each metre. */
const DETAIL = 2;
const VIEW_M = 1100;
/** Height of the camera above sea level in metres, its focal length in pixels, and the row of the horizon. */
const CAMERA = { height: 126, focal: 1000, horizon: 105 };
const SUN = [-0.55, -0.35, 0.76] as const;
const HAZE = [196, 211, 224] as const;

type Colour = readonly [red: number, green: number, blue: number];

const mix = (from: number, to: number, part: number) => from + (to - from) * part;
const clamp = (value: number) => Math.min(1, Math.max(0, value));
const smooth = (from: number, to: number, value: number) => {
  const part = clamp((value - from) / (to - from));
  return part * part * (3 - 2 * part);
};
const blend = (one: Colour, other: Colour, part: number): Colour => [
  mix(one[0], other[0], part),
  mix(one[1], other[1], part),
  mix(one[2], other[2], part),
];
const wrap = (value: number, period: number) => ((value % period) + period) % period;

/** A number from 0 to 1 that depends on its arguments only. */
function hash(x: number, y: number, seed: number): number {
  let bits = Math.imul(x + 1, 374_761_393) ^ Math.imul(y + 1, 668_265_263) ^ Math.imul(seed + 1, 974_634_787);
  bits = Math.imul(bits ^ (bits >>> 13), 1_274_126_177);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

/** Value noise from 0 to 1 whose grid has cells of this many metres and repeats with the ground. */
function noise(x: number, y: number, cell: number, seed: number): number {
  const [columns, rows] = [PERIOD.x / cell, PERIOD.y / cell];
  const [column, row] = [Math.floor(x / cell), Math.floor(y / cell)];
  const [u, v] = [smooth(0, 1, x / cell - column), smooth(0, 1, y / cell - row)];
  const at = (dx: number, dy: number) => hash(wrap(column + dx, columns), wrap(row + dy, rows), seed);
  return mix(mix(at(0, 0), at(1, 0), u), mix(at(0, 1), at(1, 1), u), v);
}

/** Noise of several sizes, each half of the one before. */
function layers(x: number, y: number, cell: number, count: number, seed: number): number {
  let [sum, weight, total] = [0, 1, 0];
  for (let layer = 0; layer < count; layer += 1, weight /= 2) {
    sum += weight * noise(x, y, cell / 2 ** layer, seed + layer);
    total += weight;
  }
  return sum / total;
}

/** Height in metres and colour without light of a point of the ground. */
function groundAt(x: number, y: number): { height: number; colour: Colour } {
  const relief = layers(x, y, 128, 6, 1);
  const stream = Math.abs(layers(x, y, 256, 3, 20) - 0.5);
  const grain = noise(x, y, 2, 40);
  const height = 4 + smooth(0.008, 0.12, stream) * 92 * relief ** 1.7;
  if (stream < 0.009) return { height: 3, colour: blend([46, 84, 104], [70, 112, 128], noise(x, y, 8, 41)) };
  if (stream < 0.013) return { height, colour: blend([150, 140, 112], [122, 116, 90], grain) };

  const road = Math.abs(
    y - 500 - 46 * Math.sin((2 * Math.PI * x) / PERIOD.x) - 18 * Math.sin((6 * Math.PI * x) / PERIOD.x),
  );
  if (road < 2.2) return { height, colour: road < 0.2 ? [222, 220, 210] : [126, 126, 124] };

  const trees = layers(x, y, 64, 3, 60);
  if (trees > 0.57 || (trees > 0.5 && relief > 0.55)) {
    const crown = noise(x, y, 4, 61);
    return {
      height: height + 3 + 7 * crown,
      colour: blend([30, 54, 30], [70, 98, 48], clamp(crown * 0.8 + grain * 0.3)),
    };
  }
  const rock = smooth(0.6, 0.7, relief + 0.06 * (grain - 0.5));
  const meadow = blend([104, 122, 62], [134, 142, 80], layers(x, y, 16, 3, 44));
  return { height, colour: blend(fieldAt(x, y, grain) ?? meadow, blend([118, 110, 98], [158, 150, 136], grain), rock) };
}

/** The colour of a field with its rows; undefined on meadows. */
function fieldAt(x: number, y: number, grain: number): Colour | undefined {
  const [width, depth] = [64, 32];
  const [column, row] = [Math.floor(x / width), Math.floor(y / depth)];
  const kind = hash(column, row, 70);
  const edge = Math.min(wrap(x, width), wrap(y, depth), width - wrap(x, width), depth - wrap(y, depth));
  if (edge < 1.2) return [72, 92, 46];
  if (kind > 0.72) return undefined;
  const crops: readonly Colour[] = [
    [182, 162, 90],
    [120, 146, 62],
    [146, 118, 82],
    [204, 188, 96],
    [92, 126, 58],
  ];
  const crop = crops[Math.floor((kind / 0.72) * crops.length)] ?? [120, 146, 62];
  const across = hash(column, row, 71) < 0.5 ? x : y;
  return blend(crop, [58, 58, 34], 0.1 * (Math.sin(across * 2.4) + 1) + 0.16 * grain);
}

/** Heights in metres and lit colours of the whole ground, row by row. */
function renderGround() {
  const [columns, rows] = [PERIOD.x * DETAIL, PERIOD.y * DETAIL];
  const heights = new Float32Array(columns * rows);
  const colours = new Float32Array(columns * rows * 3);
  for (let at = 0; at < heights.length; at += 1) {
    const { height, colour } = groundAt((at % columns) / DETAIL, Math.floor(at / columns) / DETAIL);
    heights[at] = height;
    colours.set(colour, at * 3);
  }
  for (let at = 0; at < heights.length; at += 1) {
    const [column, row] = [at % columns, Math.floor(at / columns)];
    const height = (dx: number, dy: number) =>
      heights[wrap(row + dy, rows) * columns + wrap(column + dx, columns)] ?? 0;
    const [east, south] = [
      (height(1, 0) - height(-1, 0)) * DETAIL * 0.5,
      (height(0, 1) - height(0, -1)) * DETAIL * 0.5,
    ];
    const light = (-east * SUN[0] - south * SUN[1] + SUN[2]) / Math.hypot(east, south, 1);
    const shade = 0.42 + 0.78 * clamp(light);
    for (let part = at * 3; part < at * 3 + 3; part += 1) colours[part] = (colours[part] ?? 0) * shade;
  }
  return { columns, rows, heights, colours };
}

type Ground = ReturnType<typeof renderGround>;

/** One frame; `turn` from 0 to 1 is how far the way is flown. Each column is drawn from near to far, over what it hides. */
function renderFrame({ columns, rows, heights, colours }: Ground, turn: number): Buffer {
  const { width, height } = VIDEO;
  const frame = Buffer.alloc(width * height * 3);
  const sway = 2 * Math.PI * turn;
  const [x, y] = [turn * PERIOD.x, 470 + 34 * Math.sin(sway)];
  const heading = 0.16 * Math.cos(sway);
  const roll = -0.05 * Math.sin(sway);
  const eye = CAMERA.height + 5 * Math.sin(2 * sway);
  for (let column = 0; column < width; column += 1) {
    const aside = column - width / 2;
    const horizon = CAMERA.horizon + aside * roll;
    const [forward, right] = [Math.cos(heading), Math.sin(heading)];
    const [stepX, stepY] = [forward - (right * aside) / CAMERA.focal, right + (forward * aside) / CAMERA.focal];
    const paint = (from: number, to: number, colour: Colour) => {
      for (let line = Math.max(0, Math.ceil(from)); line < Math.min(height, to); line += 1)
        for (let part = 0; part < 3; part += 1) frame[(line * width + column) * 3 + part] = colour[part] ?? 0;
    };
    let hidden = height;
    for (let away = 40; away < VIEW_M && hidden > 0; away *= 1.004) {
      const [u, v] = [(x + stepX * away) * DETAIL, (y + stepY * away) * DETAIL];
      const [left, top] = [Math.floor(u), Math.floor(v)];
      const corner = (dx: number, dy: number) => wrap(top + dy, rows) * columns + wrap(left + dx, columns);
      const corners = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)] as const;
      const between = (valueOf: (at: number) => number) =>
        mix(
          mix(valueOf(corners[0]), valueOf(corners[1]), u - left),
          mix(valueOf(corners[2]), valueOf(corners[3]), u - left),
          v - top,
        );
      const line = horizon + ((eye - between((at) => heights[at] ?? 0)) * CAMERA.focal) / away;
      if (line >= hidden) continue;
      const haze = smooth(0.1, 0.95, away / VIEW_M);
      const lit = [0, 1, 2].map((part) => between((at) => colours[at * 3 + part] ?? 0)) as unknown as Colour;
      paint(line, hidden, blend(lit, HAZE, haze));
      hidden = Math.max(0, Math.ceil(line));
    }
    for (let line = 0; line < hidden; line += 1)
      paint(line, line + 1, blend([112, 152, 196], HAZE, clamp(line / (horizon + 40))));
  }
  return frame;
}

async function main(): Promise<void> {
  const ground = renderGround();
  const frames = VIDEO.rate * VIDEO.seconds;
  for (let index = 0; index < frames; index += 1)
    if (!process.stdout.write(renderFrame(ground, index / frames))) await once(process.stdout, 'drain');
}

void main();
