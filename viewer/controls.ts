import { element, write } from './element';
import type { Answer, ControlOutcome } from './messages';

export interface Controls {
  /** Shows the buttons, or doesn't. */
  permit(permitted: boolean): void;
  /** Buttons do something only while there is a connection. */
  enable(connected: boolean): void;
  /** Takes what the server says to a command. */
  answered(answer: Answer): void;
  /** Takes what became of a command. */
  ended(outcome: ControlOutcome): void;
}

/** How long a button waits to be pressed again, and an answer for, in ms. */
const CONFIRM_WITHIN = 5000;
const ANSWER_WITHIN = 8000;

/**
 * The buttons that steer the drone. Each asks to be pressed twice: a slip of the finger must not move a drone.
 * @param send gives the command to the server; false when it can't
 */
export function createControls(send: (message: Readonly<Record<string, unknown>>) => boolean): Controls {
  const section = element('controls', HTMLElement);
  const outcome = element('control-outcome', HTMLElement);
  const buttons = [...section.querySelectorAll('button')];
  const waiting = new Map<string, { readonly label: string; readonly timer: ReturnType<typeof setTimeout> }>();
  /** The button of the last command that was accepted, until it is known what became of it. */
  let accepted: { readonly requestId: string; readonly label: string } | undefined;
  let armed: { readonly button: HTMLButtonElement; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  let sent = 0;

  function disarm(): void {
    if (!armed) return;
    clearTimeout(armed.timer);
    armed.button.classList.remove('armed');
    write(armed.button, labelOf(armed.button));
    armed = undefined;
  }

  function press(button: HTMLButtonElement): void {
    const sure = armed?.button === button;
    disarm();
    if (sure) {
      command(button);
      return;
    }
    button.classList.add('armed');
    write(button, `Press again: ${labelOf(button).toLowerCase()}`);
    armed = { button, timer: setTimeout(disarm, CONFIRM_WITHIN) };
  }

  function command(button: HTMLButtonElement): void {
    const label = labelOf(button);
    const id = `command-${++sent}`;
    if (!send({ action: 'control', id, command: { name: button.value } })) {
      write(outcome, `${label}: not connected`);
      return;
    }
    write(outcome, `${label}: sent`);
    const timer = setTimeout(() => waiting.delete(id) && write(outcome, `${label}: no answer`), ANSWER_WITHIN);
    waiting.set(id, { label, timer });
  }

  for (const button of buttons) {
    button.dataset['label'] = button.textContent.trim();
    button.addEventListener('click', () => press(button));
    button.addEventListener('blur', disarm);
  }

  return {
    permit: (permitted) => (section.hidden = !permitted),
    enable(connected) {
      if (!connected) disarm();
      for (const button of buttons) button.disabled = !connected;
    },
    answered({ type, id = '', requestId, error, details }) {
      const asked = waiting.get(id);
      if (!asked) return;
      waiting.delete(id);
      clearTimeout(asked.timer);
      const reason = [error, ...(details ?? []).map(({ message }) => message)].join(': ');
      if (type === 'accepted' && requestId !== undefined) accepted = { requestId, label: asked.label };
      write(outcome, `${asked.label}: ${type === 'accepted' ? 'accepted' : reason}`);
    },
    ended({ requestId, outcome: what, reason }) {
      // Those of other viewers are told here too.
      if (accepted?.requestId !== requestId) return;
      const why = reason === undefined ? '' : ` (${reason.toLowerCase().replaceAll('_', ' ')})`;
      write(outcome, `${accepted.label}: ${what.toLowerCase()}${why}`);
      accepted = undefined;
    },
  };
}

function labelOf(button: HTMLButtonElement): string {
  return button.dataset['label'] ?? '';
}
