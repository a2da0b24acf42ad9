import { endsFlight } from '../../domain/commands/stops';
import { type CommandReason } from '../../domain/commands/command-lifecycle';
import { type FailureReason } from '../../domain/jobs/job-report';
import { type Flight } from './course';
import { lowAt, spentAt } from './charge';
import { offsetOf, type Place } from './dock';
import { changedAt, endOf, haltOf, inTurn, placeAt, rateAt, secondAt, type Stretch } from './stretch';
import type { Order, Taken } from './commands';
import { DOCK_FAULT_S, LINK_LOST_S, TAKE_OFF_S } from './timeline';
import { entryOf, STAYING, USUAL_SPEED, wayAlong, wayAround, wayDown, wayHome, wayTo, type Way } from './way';

/** What became of a command, and when, in seconds of the mission. */
export interface Outcome {
  readonly requestId: string;
  readonly outcome: 'DELIVERED' | 'DONE' | 'REFUSED' | 'FAILED' | 'SUPERSEDED';
  readonly reason?: CommandReason | undefined;
  readonly at: number;
}

/** What a drone flies by all commands so far. */
export interface Flown {
  readonly stretches: readonly Stretch[];
  /** What it flies after its pause, beside the way that it is on; undefined when it does not pause. */
  readonly paused?: readonly Way[] | undefined;
  /** Which second of its course it left for a place of a command. */
  readonly leftAt: number;
  /** Why it does not fly the rest of its course. */
  readonly ending?: { readonly reason: FailureReason; readonly commandId?: string | undefined } | undefined;
  /** The command that it obeys, and when that will be achieved. */
  readonly pending?: { readonly requestId: string | undefined; readonly doneAt: number } | undefined;
  readonly outcomes: readonly Outcome[];
}

/** The stretch that is flown `t` seconds into the mission. */
export function stretchAt({ stretches }: Pick<Flown, 'stretches'>, t: number): Stretch {
  const found = stretches.findLast(({ from }) => from <= t) ?? stretches[0];
  if (!found) throw new Error('a flight has no stretches');
  return found;
}

/** When the drone is down for good, in seconds of the mission; Infinity while that needs a command. */
export function overAt({ stretches, paused }: Pick<Flown, 'stretches' | 'paused'>): number {
  const last = stretches.at(-1);
  if (!last || paused || last.way.purpose === 'detour') return Infinity;
  return endOf(last);
}

/** Whether the drone stands on the ground. */
export function isDown(flown: Flown, t: number): boolean {
  const stretch = stretchAt(flown, t);
  return ['DOCKED', 'LANDED'].includes(stretch.way.stateAt(secondAt(stretch, t)).droneState);
}

/** Whether the drone has not taken off yet. */
function isWaiting(flight: Flight, { ending, stretches }: Flown, t: number): boolean {
  const until = flight.plan.failure === 'dock-fault' ? DOCK_FAULT_S : TAKE_OFF_S;
  return !ending && stretches.length === 1 && t < until;
}

/** The place of a command, for a drone that is at another. */
export function placeOf({ dock }: Flight, { position, height }: Order, from: Place): Place {
  const [longitude = 0, latitude = 0, altitude] = position?.coordinates ?? [];
  const up = height ?? (altitude === undefined ? from[2] : altitude - dock.altitude);
  return [...offsetOf(dock, longitude, latitude), up];
}

/** The radius of a circle that names none, in metres. */
const USUAL_RADIUS = 30;

/** What is flown to obey a command that leads to a place, from where the drone stands. */
export function detourOf(flight: Flight, order: Order, from: Place): Way[] {
  const to = placeOf(flight, order, from);
  const { radius = USUAL_RADIUS, speed = USUAL_SPEED } = order;
  if (order.name === 'GO_TO') return [wayTo(from, to, speed, 'detour')];
  const entry = entryOf(from, to, radius);
  return [wayTo(from, entry, speed, 'detour'), wayAround(entry, to, radius, speed)];
}

/** The flight until the drone has stopped to fly something else, and when and where that is. */
function halted(flown: Flown, t: number) {
  const active = stretchAt(flown, t);
  const before = flown.stretches.filter((one) => one.from <= t && one !== active);
  const isStopping = active.pace.to === 0 || haltOf(active) <= t;
  const stretches = isStopping
    ? [...before, { ...active, isLeft: true }]
    : [...before, active, { ...changedAt(active, t, 0), isLeft: true }];
  const last = stretchAt({ stretches }, Infinity);
  const at = Math.max(t, haltOf(last));
  const place = placeAt(last, at);
  const leftAt = last.way.courseAt?.(secondAt(last, at)) ?? flown.leftAt;
  return { stretches, at, place, leftAt };
}

/** The drone stops, and then flies other ways. */
function turnedTo(flown: Flown, t: number, ways: (place: Place, leftAt: number) => readonly Way[]) {
  const { stretches, at, place, leftAt } = halted(flown, t);
  const next = inTurn(at, ways(place, leftAt));
  return { flown: { ...flown, stretches: [...stretches, ...next], leftAt, paused: undefined }, at, next };
}

/** What a command makes of a flight, and when it is achieved: at once when it is so already. */
type Obeyed = readonly [flown: Flown, doneAt: number];

/** Whether the drone is on the ground before it could stop. */
export function landsFirst(flown: Flown, t: number): boolean {
  const active = stretchAt(flown, t);
  const braking = active.pace.to === 0 ? active : changedAt(active, t, 0);
  return secondAt(braking, haltOf(braking)) >= active.way.touchDown;
}

function pause(flown: Flown, t: number): Obeyed {
  const active = stretchAt(flown, t);
  if (flown.paused) return [flown, Math.max(t, haltOf(active))];
  const following = flown.stretches.filter(({ from }) => from > t).map(({ way }) => way);
  const isThere = following.length === 0 && haltOf(active) <= t;
  if (isThere) return [flown, t];
  const before = flown.stretches.filter(({ from }) => from <= t);
  const stretches = active.isLeft ? before : [...before, changedAt(active, t, 0)];
  const halt = haltOf(stretchAt({ stretches }, Infinity));
  return [{ ...flown, stretches, paused: following }, halt];
}

function resume(flight: Flight, flown: Flown, t: number): Obeyed {
  const active = stretchAt(flown, t);
  if (flown.paused) {
    const going = active.isLeft ? [] : [changedAt(active, t, 1)];
    const from = going[0] ? endOf(going[0]) : Math.max(t, haltOf(active));
    const before = flown.stretches.filter((one) => one.from <= t);
    const stretches = [...before, ...going, ...inTurn(from, flown.paused)];
    const doneAt = going[0] ? t + going[0].pace.seconds : from;
    return [{ ...flown, stretches, paused: undefined }, doneAt];
  }
  if (flown.stretches.at(-1)?.way.purpose !== 'detour') return [flown, t];
  const back = turnedTo(flown, t, (place, leftAt) => {
    const course = wayAlong(flight, leftAt);
    return [wayTo(place, course.at(0), USUAL_SPEED, 'back'), course];
  });
  return [back.flown, back.at];
}

function detour(flight: Flight, flown: Flown, t: number, order: Order): Obeyed {
  const { flown: turned, at, next } = turnedTo(flown, t, (place) => detourOf(flight, order, place));
  return [turned, next[0] ? endOf(next[0]) : at];
}

/** Home or down, unless the drone is on its way there already. */
function end(flown: Flown, t: number, purpose: 'home' | 'down', ending: Flown['ending']): Obeyed {
  if (!flown.paused && flown.stretches.at(-1)?.way.purpose === purpose) return [flown, overAt(flown)];
  const turned = turnedTo(flown, t, (place) => [purpose === 'home' ? wayHome(place) : wayDown(place)]).flown;
  return [{ ...turned, ending }, overAt(turned)];
}

function endByCommand(flight: Flight, flown: Flown, t: number, { requestId, order }: Taken): Obeyed {
  const ending = { reason: 'ABORTED_BY_COMMAND', commandId: requestId } as const;
  if (isWaiting(flight, flown, t)) {
    const stretches = [...flown.stretches, ...inTurn(t, [STAYING])];
    return [{ ...flown, stretches, ending }, t];
  }
  if (isDown(flown, t)) return [flown, t];
  return end(flown, t, order.name === 'LAND' ? 'down' : 'home', ending);
}

function obey(flight: Flight, flown: Flown, command: Taken): Obeyed {
  const { at, order } = command;
  if (endsFlight(order.name)) return endByCommand(flight, flown, at, command);
  if (order.name === 'PAUSE') return pause(flown, at);
  if (order.name === 'RESUME') return resume(flight, flown, at);
  return ['GO_TO', 'ORBIT'].includes(order.name) ? detour(flight, flown, at, order) : [flown, at];
}

/** What was achieved of the pending command, or else its end by something new. */
function settled({ pending }: Flown, t: number, otherwise: Omit<Outcome, 'requestId' | 'at'>): Outcome[] {
  if (pending?.requestId === undefined) return [];
  const { requestId, doneAt } = pending;
  return doneAt <= t ? [{ requestId, outcome: 'DONE', at: doneAt }] : [{ requestId, ...otherwise, at: t }];
}

/** The flight after a command that was taken. */
function after(flight: Flight, flown: Flown, command: Taken): Flown {
  const { requestId, at, refused } = command;
  const told = (outcome: Outcome['outcome'], reason?: CommandReason): Outcome[] =>
    requestId === undefined ? [] : [{ requestId, outcome, reason, at }];
  if (refused) return { ...flown, outcomes: [...flown.outcomes, ...told('REFUSED', refused)] };
  const [obeyed, doneAt] = obey(flight, flown, command);
  const isAtOnce = obeyed === flown && doneAt <= at;
  if (isAtOnce) return { ...flown, outcomes: [...flown.outcomes, ...told('DONE')] };
  const before = settled(flown, at, { outcome: 'SUPERSEDED' });
  return {
    ...obeyed,
    pending: { requestId, doneAt },
    outcomes: [...flown.outcomes, ...before, ...told('DELIVERED')],
  };
}

/** When a drone that has left its course by commands returns by itself: with a low charge, or without a link. */
function returnsAt(flight: Flight, flown: Flown, from: number, before: number) {
  const { stretches, paused, ending } = flown;
  if (stretches.length === 1 || (ending && !paused)) return undefined;
  if (flight.plan.failure === 'link-loss' && LINK_LOST_S < before) return Math.max(from, LINK_LOST_S);
  return lowAt(flight, stretches, from, Math.min(before, overAt(flown)));
}

/** The flight up to a time, in which the drone returns by itself if it has to. */
function withReturn(flight: Flight, flown: Flown, from: number, before: number): Flown {
  const t = returnsAt(flight, flown, from, before);
  if (t === undefined || isDown(flown, t)) return flown;
  const outcomes = [...flown.outcomes, ...settled(flown, t, { outcome: 'FAILED', reason: 'DEVICE_BUSY' })];
  const [returning] = end(flown, t, 'home', flown.ending ?? { reason: 'LOW_BATTERY' });
  return { ...returning, pending: undefined, outcomes };
}

/**
 * What a drone flies by the plan of its job and the commands that it took. Pure: any number of calls gives the same,
 * and a later command changes nothing before it.
 * @param before up to when a drone may have returned by itself, in seconds of the mission
 */
export function flownOf(flight: Flight, before = Infinity): Flown {
  const course = wayAlong(flight);
  let flown: Flown = { stretches: inTurn(0, [course]), leftAt: 0, outcomes: [] };
  let known = 0;
  for (const command of flight.commands ?? []) {
    flown = after(flight, withReturn(flight, flown, known, command.at), command);
    known = command.at;
  }
  return withReturn(flight, flown, known, before);
}

/** What becomes of the commands of a flight, in order. */
export function outcomesOf(flight: Flight): Outcome[] {
  const flown = flownOf(flight);
  const last = settled(flown, Infinity, { outcome: 'DONE' }).filter(({ at }) => at < Infinity);
  // A drone out of reach tells nothing.
  const reach = flight.plan.failure === 'link-loss' ? LINK_LOST_S : Infinity;
  return [...flown.outcomes, ...last].filter(({ at }) => at < reach).toSorted((one, other) => one.at - other.at);
}

/** Whether the link to the drone is lost: it comes home by itself, and hears and tells nothing. */
export const isOutOfReach = ({ plan: { failure } }: Flight, flown: Flown, t: number): boolean =>
  failure === 'link-loss' && t >= LINK_LOST_S && t < overAt(flown);

/** Where the drone is. */
export const placeOfFlown = (flown: Flown, t: number): Place => placeAt(stretchAt(flown, t), t);

/** What it does, and what its dock does. */
export function stateOf(flown: Flown, t: number) {
  const stretch = stretchAt(flown, t);
  const second = secondAt(stretch, t);
  const state = stretch.way.stateAt(second);
  const isHalted = rateAt(stretch, t) === 0 && second < stretch.way.touchDown;
  return isHalted ? { ...state, droneState: 'HOVER' } : state;
}

/** Percent of the charge that is left. */
export const chargeAt = (flight: Flight, flown: Flown, t: number): number => 100 - spentAt(flight, flown.stretches, t);
