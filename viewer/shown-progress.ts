import { format, texts } from './locale';
import type { KnownProgress } from './device-state';
import type { FlightInfo } from './parse-message';

/** States of a drone that has been at its place. */
const beyondPlace: readonly (string | undefined)[] = ['HOVER', 'ORBIT', 'RETURNING', 'LANDED', 'DOCKED'];

/** Whether the drone has not come to the end of its route yet. */
export const isOnTheWay = (droneState: string | undefined): boolean => !beyondPlace.includes(droneState);

/**
 * When the drone arrives, and what is left to fly: `Arrives about 10:42, 640 m left`.
 * @param now the server's time, in Unix milliseconds; a time that is over by then is not told
 */
export function arrivalText(
  { percent, distanceLeft, secondsLeft, at }: KnownProgress,
  place: FlightInfo['place'],
  droneState: string | undefined,
  now: number,
): string {
  const end = secondsLeft === undefined ? undefined : at + secondsLeft * 1000;
  // What is left leads to the place until the drone is there; of a mission nothing says when that is.
  const leadsToPlace = place !== undefined && place.actionOnArrival !== 'MISSION' && isOnTheWay(droneState);
  const { arrives, back, until, flown } = texts.arrival;
  const when = leadsToPlace ? arrives : droneState === 'RETURNING' ? back : until;
  const parts = [
    end === undefined || end < now ? [] : when(format.clock(end)),
    distanceLeft === undefined ? [] : texts.figures.left(format.withUnit(distanceLeft, 'length', 0)),
  ].flat();
  return parts.join(', ') || flown(format.percent(percent));
}
