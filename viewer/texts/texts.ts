import type { Blocked, PlainCommand } from '../commands';
import type { ControlOutcome } from '../parse-message';

/** A message with what the viewer can do about it, in whole sentences; `advice` is empty if nothing is to be done. */
export interface Notice {
  readonly title: string;
  readonly advice: string;
}

type Words<Name extends string> = Readonly<Record<Name, string>>;
type Reason = NonNullable<ControlOutcome['reason']>;

/** Every word of the page; each language has them all. Values in functions are formatted in that language. */
export interface Texts {
  /** Words that index.html names in `data-text` and `data-label`. */
  readonly page: Words<PageText>;
  readonly title: Words<'share' | 'drone'>;
  readonly pill: Words<'connecting' | 'live' | 'noReport' | 'reconnecting' | 'ended' | 'full' | 'not-found'> & {
    readonly old: (age: string) => string;
  };
  readonly notices: Readonly<Record<NoticeName, Notice>>;
  readonly allTaken: (places: number) => string;
  readonly map: Words<'unavailable' | 'failed'>;
  readonly charts: Words<'unavailable'>;
  readonly video: Words<'interrupted' | 'tryingAgain' | 'notLoaded' | 'none' | 'noStream' | 'ended'>;
  /** Names of commands on their buttons. */
  readonly commands: Words<PlainCommand>;
  /** How a button is pressed, and what became of its command. */
  readonly controls: Words<ControlText> & { readonly refusedBecause: (message: string) => string };
  /** What the drone does after a command that was DONE. */
  readonly done: Words<PlainCommand>;
  /** Why buttons can't be pressed. */
  readonly blocked: Words<Blocked>;
  /** Why a command was refused or failed, and what to do. */
  readonly reasons: Words<Reason>;
  readonly droneStates: Words<string>;
  readonly dockStates: Words<string>;
  readonly figures: Words<'noTime' | 'level'> & {
    readonly viewers: (current: number, most: number) => string;
    readonly left: (duration: string) => string;
    readonly from: (point: string) => string;
    readonly humid: (percent: string) => string;
    readonly rain: (amount: string) => string;
    readonly days: (count: number) => string;
    /** How long ago a single figure was measured, when it is older than the others. */
    readonly measuredBefore: (age: string) => string;
  };
  /** What is left of the flight, as an estimate: times are hours and minutes. */
  readonly arrival: Readonly<Record<'arrives' | 'back' | 'until', (time: string) => string>> & {
    readonly flown: (percent: string) => string;
  };
  /** Eight points from north, clockwise, and the letters of a position. */
  readonly compass: Words<'north' | 'south' | 'east' | 'west'> & { readonly points: readonly string[] };
  /** Figures with their units for screen readers; an empty one is left out. */
  readonly announced: (altitude: string, speed: string, battery: string, distanceLeft: string) => string;
  /** What is said of figures that are not live, after their age, for screen readers. */
  readonly announcedOld: (age: string, what: string) => string;
  /** Figures are live after a silence, for screen readers. */
  readonly announcedLive: string;
  readonly buttons: Words<ButtonText>;
}

export type NoticeName =
  | ('live' | 'connecting' | 'reconnecting' | 'revoked' | 'expired' | 'ended' | 'full' | 'notFound')
  | ('old' | 'noReport' | 'removed');

type ControlText =
  | ('confirm' | 'holding' | 'pressAgain')
  | ('sending' | 'onItsWay' | 'noAnswer' | 'connectionLost')
  | ('notSent' | 'forbidden' | 'shareEnded' | 'tooMany' | 'notNow' | 'notSupported')
  | (ControlOutcome['outcome'] | 'withoutReason');

type ButtonText =
  | ('follow' | 'following' | 'copy' | 'copied' | 'notCopied')
  | ('leaveFullScreen' | 'zoomIn' | 'zoomOut');

export type PageText =
  | ('skipMap' | 'connection' | 'viewers' | 'timeLeft' | 'simulated' | 'retry')
  | ('video' | 'videoOfDrone' | 'videoWaiting' | 'videoFullScreen' | 'map' | 'mapKeys' | 'mapFullScreen' | 'swap')
  | ('charts' | 'chartRange' | 'recent' | 'wholeFlight' | 'altitudeChart' | 'speedChart')
  | ('telemetry' | 'height' | 'aboveTakeOff' | 'altitude' | 'aboveSea' | 'speed' | 'overGround')
  | ('battery' | 'charge' | 'heading' | 'fromNorth' | 'drone' | 'dock' | 'position' | 'measuredAt' | 'wind' | 'air')
  | 'estimate'
  | 'control'
  | ('display' | 'units' | 'metric' | 'imperial' | 'theme' | 'system' | 'light' | 'dark');
