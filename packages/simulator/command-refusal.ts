import * as z from 'zod/mini';
import { commandParameters, isKnownCommand, type KnownCommand } from '../../domain/commands/command';
import { endsFlight, stopNames } from '../../domain/commands/stops';
import { type CommandReason } from '../../domain/commands/command-lifecycle';
import { neededFrom, PER_SECOND } from './charge';
import { courseOf, type Flight } from './course';
import { chargeAt, detourOf, flownOf, isDown, landsFirst, placeOf, placeOfFlown, stretchAt, type Flown } from './flown';
import { secondAt } from './stretch';
import type { Order } from './commands';
import { MAX_HEIGHT, MIN_HEIGHT, timesOf } from './timeline';

/** What a drone still obeys on its way home, or down. */
const onTheWayDown: readonly string[] = [...stopNames, 'RESUME'] satisfies KnownCommand[];
/** What leads a drone to another place. */
const elsewhere: readonly string[] = ['GO_TO', 'ORBIT'] satisfies KnownCommand[];

/** The commands that a drone in flight may get: more would not fit into the item of its mission. */
const MOST_COMMANDS = 500;

/** Whether a command is one that the drone knows, with the parameters that it needs. */
export const isSupported = (command: { readonly name: string }): boolean =>
  isKnownCommand(command.name) && z.object(commandParameters[command.name]).safeParse(command).success;

/** Whether the drone takes off, or lands in its dock at the end of its course. */
function isStartingOrLanding(flight: Flight, flown: Flown, t: number): boolean {
  const { cruise, descent } = timesOf(courseOf(flight));
  const stretch = stretchAt(flown, t);
  const second = stretch.way.courseAt?.(secondAt(stretch, t));
  return second !== undefined && (second < cruise || second >= descent);
}

/** Whether a drone gets to the place of a command and home again. */
function isInRange(flight: Flight, flown: Flown, t: number, order: Order): boolean {
  const from = placeOfFlown(flown, t);
  const to = placeOf(flight, order, from);
  const [way] = detourOf(flight, order, from);
  const isAtHeight = to[2] >= MIN_HEIGHT && to[2] <= MAX_HEIGHT;
  return isAtHeight && chargeAt(flight, flown, t) - PER_SECOND * (way?.seconds ?? 0) >= neededFrom(to);
}

/**
 * Why a drone does not obey a command that it knows, `t` seconds into its mission; undefined when it does. On the
 * ground it obeys nothing but what ends a flight, which is so already.
 */
export function whyNotObeyed(flight: Flight, order: Order, t: number): CommandReason | undefined {
  const flown = flownOf(flight, t);
  if (endsFlight(order.name)) return undefined;
  if (isDown(flown, t)) return 'NOT_ALLOWED';
  if ((flight.commands ?? []).length >= MOST_COMMANDS) return 'DEVICE_BUSY';
  if (flown.ending?.reason === 'LOW_BATTERY') return 'DEVICE_BUSY';
  if (flown.ending && !onTheWayDown.includes(order.name)) return 'DEVICE_BUSY';
  if (order.name === 'PAUSE' && landsFirst(flown, t)) return 'DEVICE_BUSY';
  if (!elsewhere.includes(order.name)) return undefined;
  if (isStartingOrLanding(flight, flown, t)) return 'DEVICE_BUSY';
  return isInRange(flight, flown, t, order) ? undefined : 'OUT_OF_RANGE';
}
