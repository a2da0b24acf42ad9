import type { ControlOutcome } from './parse-message';
import type { Texts } from './texts/texts';

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
