import type { KnownCommand } from '../domain/commands/command';
import { endsFlight, isStop, stopNames } from '../domain/commands/stops';
import { isOnGround } from '../domain/telemetry/drone-state';
import { permitsCommand } from '../domain/shares/viewer-rights';
import type { Connection } from './connection';
import type { ShareStatus, ControlOutcome } from './parse-message';
import type { Texts } from './texts/texts';

/** The commands that need no parameters, in the order of their buttons: what a guard wants at once comes first. */
export const plainCommands = [
  'PAUSE',
  'RESUME',
  'RETURN_HOME',
  'LAND',
  'TAKE_PHOTO',
  'START_RECORDING',
  'STOP_RECORDING',
] as const satisfies readonly KnownCommand[];
export type PlainCommand = (typeof plainCommands)[number];

/**
 * The commands of a share that get a button. One with parameters has none; one of the platform's own needs none, as far
 * as known.
 */
export function commandsWithButton({
  permissions = [],
  commands,
}: Pick<ShareStatus, 'permissions' | 'commands'>): readonly string[] {
  const share = { permissions, commands };
  const own = new Set(commands?.filter((name) => name.startsWith('x-')));
  return [...plainCommands, ...own].filter((name) => permitsCommand(share, name));
}

/** What decides whether a command makes sense. */
export interface Situation {
  readonly connection: Connection;
  /** As the device reported it last. */
  readonly droneState: string | undefined;
  /** The last command of this share's viewers that the drone took. */
  readonly lastTaken: string | undefined;
}

/** Why a button does nothing now. */
export type Blocked = 'notConnected' | 'ended' | 'onTheGround' | 'notReported' | 'fliesAlready';

/** States of a drone that flies on by itself, so that there is nothing to resume. */
const goesOn: readonly (string | undefined)[] = ['WAYPOINT', 'RETURNING'];

/**
 * Why a command makes no sense now; undefined when its button can be pressed. The service refuses the same
 * (domain/commands/steering.ts). What is not known keeps nobody from bringing the drone home, and in flight nothing but
 * the connection blocks PAUSE and what ends the flight.
 */
export function whyBlocked(name: string, { connection, droneState, lastTaken }: Situation): Blocked | undefined {
  if (connection !== 'live') return connection === 'ended' ? 'ended' : 'notConnected';
  if (isOnGround(droneState)) return 'onTheGround';
  if (endsFlight(name)) return undefined;
  if (droneState === undefined) return 'notReported';
  // A platform may go on reporting the route of a paused drone: then the pause is what counts.
  if (name === 'RESUME' && goesOn.includes(droneState) && lastTaken !== 'PAUSE') return 'fliesAlready';
  return undefined;
}

/** Whether a button must be held, or pressed twice: a slip of the finger ends no flight. */
export const needsConfirmation = endsFlight;

/** Commands of which each undoes what another one did. */
const alternatives: readonly (readonly string[])[] = [
  [...stopNames, 'RESUME'],
  ['START_RECORDING', 'STOP_RECORDING'],
] satisfies PlainCommand[][];

/** Whether the outcome of one command says nothing any more when another one is sent: a drone that flies on no longer stands. */
export const isOutdatedBy = (name: string, sent: string): boolean =>
  alternatives.some((group) => group.includes(name) && group.includes(sent));

/** How far a command has come: what the page knows itself, a refusal in words, or what the service tells. */
export type CommandProgress =
  | { readonly step: 'sending' | 'onItsWay' | 'noAnswer' | 'connectionLost' | 'notSent' }
  | { readonly step: 'refused'; readonly text: string }
  | Pick<ControlOutcome, 'outcome' | 'reason'>;

/** How a button looks: nothing was sent, its command has no outcome yet, all went well, or somebody has to look. */
export type CommandLook = 'idle' | 'pending' | 'good' | 'bad';

const own = <Value>(words: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(words, name) ? words[name] : undefined;

/** The name of a command on its button; one of the platform's own is called as the platform calls it. */
export const commandLabel = ({ commands }: Texts, name: string): string => own(commands, name) ?? name;

/** How far a command has come, in words. */
export function progressText({ controls, done, reasons }: Texts, name: string, progress: CommandProgress): string {
  if ('step' in progress) return progress.step === 'refused' ? progress.text : controls[progress.step];
  const { outcome, reason } = progress;
  if (outcome === 'DONE') return own(done, name) ?? controls.DONE;
  if (outcome !== 'REFUSED' && outcome !== 'FAILED') return controls[outcome];
  return `${controls[outcome]} ${reason ? reasons[reason] : controls.withoutReason}`;
}

/** The last press of a button that sent a command, and how far that has come. */
export interface LastPress {
  /** When it was pressed, in ms. */
  readonly at: number;
  readonly progress: CommandProgress | undefined;
}

/** Within so many ms a further press is a slip of the finger: a double click, or a key that is held. */
const SLIP_MS = 500;
/** When a stop can be sent again, in ms, whatever became of the last one: nobody has to wait to keep a drone from harm. */
const STOP_AGAIN_MS = 2000;

/** Whether a press is no wish for a further command: it comes too soon, or the last one is still under way. */
export function isPartOf(last: LastPress | undefined, name: string, now: number): boolean {
  if (!last) return false;
  const since = now - last.at;
  if (since < SLIP_MS) return true;
  const isUnderWay = last.progress !== undefined && commandLook(last.progress) === 'pending';
  return isUnderWay && !(isStop(name) && since >= STOP_AGAIN_MS);
}

/** Whether the outcome of a command is still to come. */
export const isPending = (progress: CommandProgress): boolean =>
  'step' in progress
    ? progress.step === 'sending' || progress.step === 'onItsWay' || progress.step === 'connectionLost'
    : progress.outcome === 'DELIVERED';

export function commandLook(progress: CommandProgress | undefined): CommandLook {
  if (!progress) return 'idle';
  if ('step' in progress) return progress.step === 'sending' || progress.step === 'onItsWay' ? 'pending' : 'bad';
  if (progress.outcome === 'DELIVERED') return 'pending';
  return progress.outcome === 'DONE' || progress.outcome === 'SUPERSEDED' ? 'good' : 'bad';
}
