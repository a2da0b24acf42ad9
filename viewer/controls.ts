import type { Announcer } from './announcer';
import {
  commandsWithButton,
  isOutdatedBy,
  isPartOf,
  needsConfirmation,
  whyBlocked,
  type Blocked,
  type Situation,
  commandLabel,
  commandLook,
  isPending,
  progressText,
  type CommandProgress,
} from './commands';
import { elapsed } from './clock';
import { HOLD_MS, listenForPresses, type PressPhase } from './press';
import type { Connection } from './connection';
import { element, setText } from './element';
import { errorText } from './error-text';
import { texts } from './locale';
import type { Answer, ControlOutcome, ShareStatus } from './parse-message';

export interface Controls {
  /** Shows a button for each command that the viewer may send. */
  permit(share: Pick<ShareStatus, 'permissions' | 'commands'>): void;
  setConnection(connection: Connection): void;
  setDroneState(droneState: string | undefined): void;
  /** Handles the server's answer to a command. */
  onAnswer(answer: Answer): void;
  /** Handles the outcome of a command. */
  onOutcome(outcome: ControlOutcome): void;
}

/** A button, and the last command that was sent with it. */
interface CommandButton {
  readonly name: string;
  readonly label: string;
  readonly button: HTMLButtonElement;
  readonly line: HTMLElement;
  phase: PressPhase;
  progress: CommandProgress | undefined;
  /** When it was sent, in ms; undefined: none was. */
  sentAt: number | undefined;
  /** Of that command, once the service has accepted it. */
  requestId: string | undefined;
}

/** How long to wait for an answer, in ms. */
const ANSWER_TIMEOUT_MS = 8000;

/**
 * The buttons that control the drone, each with what became of its command.
 * @param send sends a command to the server; false when disconnected
 */
export function createControls(
  send: (message: Readonly<Record<string, unknown>>) => boolean,
  announcer: Pick<Announcer, 'announce'>,
): Controls {
  const section = element('controls', HTMLElement);
  const note = element('control-note', HTMLElement);
  const list = element('commands', HTMLElement);
  let buttons: readonly CommandButton[] = [];
  let situation: Situation = { connection: 'reconnecting', droneState: undefined, lastTaken: undefined };
  /** By the id of the message: commands that wait for an answer. */
  const waiting = new Map<string, { readonly of: CommandButton; readonly timer: ReturnType<typeof setTimeout> }>();
  /** The newest outcome by request: it may come before the answer that says whose it is. */
  const outcomes = new Map<string, ControlOutcome>();
  let sent = 0;

  function lineText({ name, phase, progress }: CommandButton, blocked: Blocked | undefined): string {
    if (phase !== 'idle') return texts.controls[phase];
    if (progress) return progressText(texts, name, progress);
    if (blocked === 'fliesAlready') return texts.blocked.fliesAlready;
    return needsConfirmation(name) && !blocked ? texts.controls.confirm : '';
  }

  function render(): void {
    const reasons = buttons.map((one) => {
      const blocked = whyBlocked(one.name, situation);
      one.button.ariaDisabled = blocked ? 'true' : null;
      one.button.dataset['phase'] = one.phase;
      one.line.dataset['look'] = commandLook(one.progress);
      setText(one.line, lineText(one, blocked));
      return blocked;
    });
    // The reason of a single button stands at it.
    const common = reasons.find((reason) => reason !== undefined && reason !== 'fliesAlready');
    note.hidden = common === undefined;
    setText(note, common ? texts.blocked[common] : '');
  }

  function change(of: CommandButton, progress: CommandProgress): void {
    of.progress = progress;
    render();
    announcer.announce(`${of.label}: ${progressText(texts, of.name, progress)}`);
  }

  function press(of: CommandButton): void {
    const blocked = whyBlocked(of.name, situation);
    if (blocked) {
      announcer.announce(`${of.label}: ${texts.blocked[blocked]}`);
      return;
    }
    const now = elapsed();
    const { name, sentAt, progress } = of;
    if (isPartOf(sentAt === undefined ? undefined : { at: sentAt, progress }, name, now)) return;
    of.sentAt = now;
    for (const other of buttons)
      if (other.progress && !isPending(other.progress) && isOutdatedBy(other.name, of.name)) other.progress = undefined;
    const id = `command-${++sent}`;
    of.requestId = undefined;
    if (!send({ action: 'control', id, command: { name: of.name } })) {
      change(of, { step: 'notSent' });
      return;
    }
    const timer = setTimeout(() => waiting.delete(id) && change(of, { step: 'noAnswer' }), ANSWER_TIMEOUT_MS);
    waiting.set(id, { of, timer });
    change(of, { step: 'sending' });
  }

  function createButton(name: string, index: number): CommandButton {
    const button = document.createElement('button');
    const line = document.createElement('p');
    button.type = 'button';
    button.value = name;
    line.id = `command-${index}`;
    button.setAttribute('aria-describedby', `${line.id} ${note.id}`);
    button.style.setProperty('--hold', `${HOLD_MS}ms`);
    const one: CommandButton = {
      name,
      label: commandLabel(texts, name),
      button,
      line,
      phase: 'idle',
      progress: undefined,
      sentAt: undefined,
      requestId: undefined,
    };
    const label = document.createElement('span');
    setText(label, one.label);
    button.append(label);
    listenForPresses(button, {
      needsConfirmation: needsConfirmation(name),
      isBlocked: () => whyBlocked(name, situation) !== undefined,
      onPress: () => press(one),
      onPhase(phase) {
        if (one.phase === phase) return;
        one.phase = phase;
        render();
        if (phase === 'pressAgain') announcer.announce(`${one.label}: ${texts.controls.pressAgain}`);
      },
    });
    return one;
  }

  /** The connection is lost, and with it the answers and outcomes that were to come. */
  function loseAnswers(): void {
    for (const { timer } of waiting.values()) clearTimeout(timer);
    waiting.clear();
    for (const one of buttons) if (one.progress && isPending(one.progress)) one.progress = { step: 'connectionLost' };
  }

  return {
    permit(share) {
      const names = commandsWithButton(share);
      // After a lost connection the share is told again: its buttons stay, and with them what became of their commands.
      if (names.join() !== buttons.map(({ name }) => name).join()) {
        buttons = names.map(createButton);
        list.replaceChildren(
          ...buttons.map(({ button, line }) => {
            const cell = document.createElement('div');
            cell.append(button, line);
            return cell;
          }),
        );
      }
      section.hidden = buttons.length === 0;
      render();
    },
    setConnection(connection) {
      situation = { ...situation, connection };
      if (connection !== 'live') loseAnswers();
      render();
    },
    setDroneState(droneState) {
      if (droneState === situation.droneState) return;
      situation = { ...situation, droneState };
      render();
    },
    onAnswer({ type, id = '', requestId, code, error, details: [detail] = [] }) {
      const asked = waiting.get(id);
      if (!asked) return;
      waiting.delete(id);
      clearTimeout(asked.timer);
      if (type !== 'accepted') {
        const message = detail?.message ?? error;
        const text = errorText(code) ?? (message ? texts.controls.refusedBecause(message) : texts.controls.notSent);
        change(asked.of, { step: 'refused', text });
        return;
      }
      asked.of.requestId = requestId;
      change(asked.of, outcomes.get(requestId ?? '') ?? { step: 'onItsWay' });
    },
    onOutcome(outcome) {
      const { requestId, name } = outcome;
      if (name !== undefined && (outcome.outcome === 'DELIVERED' || outcome.outcome === 'DONE'))
        situation = { ...situation, lastTaken: name };
      // That it has begun may be told after its end.
      if (outcome.outcome === 'DELIVERED' && outcomes.has(requestId)) return;
      outcomes.set(requestId, outcome);
      // Outcomes of other viewers' commands arrive too.
      const of = buttons.find((one) => one.requestId === requestId);
      if (of) change(of, outcome);
      else render();
    },
  };
}
