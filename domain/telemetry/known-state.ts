/**
 * What is known of a device. An autopilot sends its position, its battery and its attitude apart, each at its own rate:
 * so each value is kept until a later one of the same name is measured, whatever the order in which they arrive.
 */
import * as z from 'zod/mini';
import { isOnGround } from './drone-state';
import { battery, deviceState, orientation, velocity, weather, type DeviceState } from './sample';

/**
 * By how many seconds something was measured before `timestamp`, by its path in the state: a part (`battery`), or one value
 * of it (`battery.voltage`), which counts more. What is not named was measured at `timestamp`.
 */
export const measuredBefore = z.catchall(z.object({}), z.number().check(z.minimum(0.001)));

/** A state of values that were measured at several times; `timestamp` is the latest of them. */
export const knownState = z.extend(deviceState, { measuredBefore: z.optional(measuredBefore) });
export type KnownState = z.output<typeof knownState>;

/** A value, by its path in a state, and the part that it is of. */
interface Leaf {
  readonly path: string;
  readonly part: string;
  /** Those of the objects that hold it, and its own. */
  readonly parents: readonly string[];
  readonly name: string;
}

/** The values of a state. */
function allLeaves(): Leaf[] {
  /** The parts and their values; a part without values is one itself. */
  const parts: Readonly<Record<string, readonly string[]>> = {
    droneState: [],
    dockState: [],
    'navigation.position': [],
    'navigation.orientation': Object.keys(orientation.shape),
    'navigation.velocity': Object.keys(velocity.shape),
    battery: Object.keys(battery.shape),
    'sensorPayload.camera.orientation': Object.keys(orientation.shape),
    weather: Object.keys(weather.shape),
    jobId: [],
    progress: [],
    simulated: [],
  };
  return Object.entries(parts).flatMap(([part, names]) =>
    (names.length === 0 ? [part] : names.map((name) => `${part}.${name}`)).map((path) => {
      const keys = path.split('.');
      return { path, part, parents: keys.slice(0, -1), name: keys.at(-1) ?? '' };
    }),
  );
}

// Functions that only parse a state have no use for them.
const leaves = /* @__PURE__ */ allLeaves();
const leafOf = /* @__PURE__ */ byPath(leaves);
const placeOf = (path: string) => leaves.findIndex((leaf) => leaf.path === path);
const JOB = /* @__PURE__ */ placeOf('jobId');
const PROGRESS = /* @__PURE__ */ placeOf('progress');
const DRONE_STATE = /* @__PURE__ */ placeOf('droneState');

function byPath(all: readonly Leaf[]): ReadonlyMap<string, Leaf> {
  return new Map(all.map((leaf) => [leaf.path, leaf]));
}

type Members = Readonly<Record<string, unknown>>;

function valueAt(state: Members, { parents, name }: Leaf): unknown {
  let members: Members | undefined = state;
  for (const key of parents) members = members?.[key] as Members | undefined;
  return members?.[name];
}

/** By how many ms a value was measured before its state. */
const msBefore = (before: NonNullable<KnownState['measuredBefore']>, { path, part }: Leaf): number =>
  Math.round((before[path] ?? before[part] ?? 0) * 1000);

/**
 * When a value of a state was measured, Unix ms; undefined when the state has none.
 * @param path such as `navigation.position`, `battery.percent`
 */
export function measuredAt(state: KnownState | undefined, path: string): number | undefined {
  const leaf = leafOf.get(path);
  if (!leaf) throw new Error(`${path} is no value of a state`);
  if (!state || valueAt(state, leaf) === undefined) return undefined;
  const { timestamp, measuredBefore: before } = state;
  return Date.parse(timestamp) - (before ? msBefore(before, leaf) : 0);
}

/** A state with the time of one of its values, if it has that value. @param path such as `progress` */
export function asMeasured<State extends KnownState>(state: State, path: string): State {
  const at = measuredAt(state, path);
  return at === undefined ? state : { ...state, timestamp: new Date(at).toISOString() };
}

/**
 * Whether a state says all that another one says, whatever the values. Data of a vendor doesn't count.
 * @param maxAgeMs how much earlier it may have been measured; default: any
 */
export function saysAllOf(state: KnownState, other: KnownState, maxAgeMs = Infinity): boolean {
  const isSaid = leaves.every((leaf) => valueAt(other, leaf) === undefined || valueAt(state, leaf) !== undefined);
  if (!isSaid || maxAgeMs === Infinity) return isSaid;
  const [known, said] = [state, other].map((each) => valuesOf(each, Date.parse(each.timestamp)).times) as [
    number[],
    number[],
  ];
  return said.every((at, index) => at === NEVER || at - (known[index] as number) <= maxAgeMs);
}

/** The values of a state in the order of `leaves`, and when they were measured, Unix ms; none was if there is no value. */
interface Values {
  readonly values: unknown[];
  readonly times: number[];
}

const NEVER = -Infinity;

function valuesOf(state: KnownState, timestamp: number): Values {
  const { measuredBefore: before } = state;
  const values = leaves.map((leaf) => valueAt(state, leaf));
  const times = values.map((value, index) => {
    if (value === undefined) return NEVER;
    return before ? timestamp - msBefore(before, leaves[index] as Leaf) : timestamp;
  });
  return { values, times };
}

/** What a vendor's sensors say, without the orientation of the camera, which is a part. */
function vendorDataOf({ sensorPayload }: DeviceState): DeviceState['sensorPayload'] {
  if (!sensorPayload) return undefined;
  const { camera: { orientation: _part, ...camera } = {}, ...rest } = sensorPayload;
  const isCameraEmpty = Object.keys(camera).length === 0;
  return isCameraEmpty && Object.keys(rest).length === 0 ? undefined : { ...rest, ...(!isCameraEmpty && { camera }) };
}

/** The names of a vendor's data, also of those about the camera. */
const vendorDataNames = ({ camera = {}, ...rest }: NonNullable<DeviceState['sensorPayload']> = {}) => [
  ...Object.keys(rest),
  ...Object.keys(camera),
];

/** What two states say at one time; of what both say, the first counts. */
function joinVendorData(one: DeviceState['sensorPayload'], other: DeviceState['sensorPayload']) {
  if (!one || !other) return one ?? other;
  const camera = { ...other.camera, ...one.camera };
  return { ...other, ...one, ...(Object.keys(camera).length > 0 && { camera }) };
}

/**
 * A part has the time of its value that was measured last; a value that was measured before it has a time of its own.
 * @returns undefined when all was measured at the newest time
 */
function measuredBeforeOf(newest: number, times: readonly number[]): KnownState['measuredBefore'] {
  if (times.every((at) => at === newest || at === NEVER)) return undefined;
  const latest: Record<string, number> = {};
  for (const [index, { part }] of leaves.entries())
    latest[part] = Math.max(latest[part] ?? NEVER, times[index] as number);
  const before: Record<string, number> = {};
  for (const [index, { path, part }] of leaves.entries()) {
    const [at, ofPart] = [times[index] as number, latest[part] as number];
    if (at === NEVER) continue;
    if (ofPart < newest) before[part] = (newest - ofPart) / 1000;
    if (at < ofPart) before[path] = (newest - at) / 1000;
  }
  return before;
}

function build(newest: number, { values, times }: Values, vendorData: DeviceState['sensorPayload']): KnownState {
  const state: Record<string, unknown> = {};
  for (const [index, { parents, name }] of leaves.entries()) {
    if (times[index] === NEVER) continue;
    let members = state;
    for (const key of parents) members = (members[key] ??= {}) as Record<string, unknown>;
    members[name] = values[index];
  }
  const sensorPayload = joinVendorData(state['sensorPayload'] as DeviceState['sensorPayload'], vendorData);
  const before = measuredBeforeOf(newest, times);
  return {
    timestamp: new Date(newest).toISOString(),
    ...state,
    ...(sensorPayload && { sensorPayload }),
    ...(before && { measuredBefore: before }),
  };
}

/** What is known after a further state, and what of that state made it so. */
export interface Merged {
  readonly state: KnownState;
  /** What was not known, or later than what was known; undefined for a state that is not later and says nothing new. */
  readonly taken: KnownState | undefined;
}

/**
 * Merges a sample, or another known state, into what is known. Of each value the one that was measured later counts; of two
 * of one time the one that is known already. So the order in which states arrive doesn't matter, nor how often.
 *
 * A device on the ground that says so and names no job flies none (docs/guides/telemetry.md): its job ends there.
 * Data of a vendor is not kept beyond its sample.
 */
export function mergeState(known: KnownState | undefined, next: KnownState): Merged {
  if (!known) return { state: next, taken: next };
  const [before, at] = [Date.parse(known.timestamp), Date.parse(next.timestamp)];
  // A whole sample, as most are: the rest would find the same, for five times the time.
  if (at > before && !next.measuredBefore && saysAllOf(next, known)) return { state: next, taken: next };
  const [merged, said] = [valuesOf(known, before), valuesOf(next, at)];
  const isTaken = said.times.map((time, index) => time > (merged.times[index] as number));
  if (said.values[JOB] !== merged.values[JOB]) keepProgressOfLaterJob(merged, said, isTaken);
  for (const [index, isLater] of isTaken.entries()) if (isLater) put(merged, index, said);
  endJobOnGround(merged);
  const [kept, added] = [before >= at ? vendorDataOf(known) : undefined, at >= before ? vendorDataOf(next) : undefined];
  const vendorData = joinVendorData(kept, added);
  const newVendorData = vendorDataNames(vendorData).length > vendorDataNames(kept).length ? vendorData : undefined;
  // What is taken is what the merged state has of it.
  let isWhole = at > before;
  for (const index of leaves.keys())
    if (said.times[index] !== NEVER && (!isTaken[index] || merged.times[index] !== said.times[index])) {
      said.times[index] = NEVER;
      isWhole = false;
    }
  const isNew = at > before || newVendorData !== undefined || said.times.some((time) => time !== NEVER);
  return {
    state: build(Math.max(before, at), merged, vendorData),
    taken: isWhole ? next : isNew ? build(at, said, newVendorData) : undefined,
  };
}

/**
 * Progress is of the job that was named before it. What was measured before another job was named, or the first one, is of
 * an earlier flight; but not what names no job, when earlier progress of the job is known.
 */
function keepProgressOfLaterJob(merged: Values, said: Values, isTaken: boolean[]): void {
  const isEarlier = (one: Values, other: Values) =>
    (one.times[PROGRESS] as number) < (other.times[JOB] as number) &&
    (one.times[JOB] !== NEVER || other.times[PROGRESS] === NEVER);
  if (isTaken[JOB] && isEarlier(merged, said)) merged.times[PROGRESS] = NEVER;
  const isLater = (said.times[PROGRESS] as number) > (merged.times[PROGRESS] as number);
  isTaken[PROGRESS] = isLater && (isTaken[JOB] === true || !isEarlier(said, merged));
}

/** A device on the ground flies the job only that it has named since it said so. */
function endJobOnGround(merged: Values): void {
  if (merged.times[DRONE_STATE] === NEVER || !isOnGround(merged.values[DRONE_STATE] as string)) return;
  for (const index of [JOB, PROGRESS]) dropOlder(merged, index, merged.times[DRONE_STATE] as number);
}

function put({ values, times }: Values, index: number, from: Values): void {
  values[index] = from.values[index];
  times[index] = from.times[index] as number;
}

function dropOlder({ times }: Values, index: number, than: number): void {
  if ((times[index] as number) < than) times[index] = NEVER;
}

/**
 * The ages of what a message tells of a state.
 * @param told names of the fields that it has
 * @returns undefined when all of it was measured at the time of the state
 */
export function agesOf({ measuredBefore: before = {} }: Pick<KnownState, 'measuredBefore'>, told: readonly string[]) {
  const own = Object.entries(before).filter(([path]) => told.includes(path.split('.')[0] ?? ''));
  return own.length > 0 ? Object.fromEntries(own) : undefined;
}

/** A state without its job, which has ended. */
export function withoutJob({
  jobId: _jobId,
  progress: _progress,
  measuredBefore: before,
  ...state
}: KnownState): KnownState {
  const rest = Object.entries(before ?? {}).filter(([path]) => path !== 'jobId' && path !== 'progress');
  return { ...state, ...(rest.length > 0 && { measuredBefore: Object.fromEntries(rest) }) };
}

/** What is shown of a state. Progress is that of a job: it may be told before its job is, and is none without one. */
export const shownState = (state: KnownState): KnownState =>
  state.progress && state.jobId === undefined ? withoutJob(state) : state;
