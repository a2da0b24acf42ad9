import type { FlightSettings, Location } from '../../domain/values/destination';
import type { MissionLine } from '../../domain/missions/mission';

/** Failures that a partner can request with the job's `metadata.simulate`. */
export const failures = ['link-loss', 'low-battery', 'dock-fault', 'abort'] as const;
export type Failure = (typeof failures)[number];

/** How a drone answers commands, when a partner asks for that with `metadata.simulateCommands`. */
export const answers = ['silent', 'late', 'twice'] as const;
export type Answers = (typeof answers)[number];

/** What a job asks of its flight. */
export interface MissionPlan {
  /** `metadata.simulate`: how it fails. */
  readonly failure?: Failure | undefined;
  /** `metadata.simulateLaps`: how often the drone flies its loop, 1 to 100. */
  readonly laps: number;
  /** `metadata.simulateSpeed`: how many times faster than the fleet it flies, 1 to 20. */
  readonly speed: number;
  /** `metadata.simulateCommands`: that it answers no command, 40 seconds later, or twice. */
  readonly commands?: Answers | undefined;
  /** Where it flies to, and what it does there. */
  readonly place?: { readonly location: Location; readonly action: string } | undefined;
  /** Its waypoints, if its mission is one of the service. */
  readonly line?: MissionLine | undefined;
  readonly flight?: FlightSettings | undefined;
}

/** The parts of a job that a plan is made of. */
interface PlannedJob {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly desiredLocation?: Location | undefined;
  readonly actionOnArrival?: string | undefined;
  readonly missionLine?: MissionLine | undefined;
  readonly flight?: FlightSettings | undefined;
}

/** The plan that a job asks for; what of its metadata is missing or invalid is that of an ordinary mission. */
export function planOf({
  metadata = {},
  desiredLocation,
  actionOnArrival,
  missionLine,
  flight,
}: PlannedJob): MissionPlan {
  const factor = (name: string, atMost: number) => {
    const value = Math.trunc(Number(metadata[name]));
    return value >= 1 && value <= atMost ? value : 1;
  };
  return {
    failure: failures.find((one) => one === metadata['simulate']),
    laps: factor('simulateLaps', 100),
    speed: factor('simulateSpeed', 20),
    commands: answers.find((one) => one === metadata['simulateCommands']),
    place: desiredLocation && { location: desiredLocation, action: actionOnArrival ?? 'HOVER' },
    line: missionLine,
    flight,
  };
}
