import { errorText } from './error-text';
import { element, setText } from './element';
import type { Answer, ControlOutcome } from './messages';

export interface Controls {
  /** Shows or hides the buttons. */
  show(permitted: boolean): void;
  /** Enables the buttons while connected. */
  setConnected(connected: boolean): void;
  /** Handles the server's answer to a command. */
  onAnswer(answer: Answer): void;
  /** Handles the outcome of a command. */
  onOutcome(outcome: ControlOutcome): void;
}

/** How long a button can be confirmed, and how long to wait for an answer, in ms. */
const CONFIRM_TIMEOUT_MS = 5000;
const ANSWER_TIMEOUT_MS = 8000;

/**
 * The buttons that control the drone. Each must be pressed twice, so that a slip of the finger moves no drone.
 * @param send sends a command to the server; false when disconnected
 */
export function createControls(send: (message: Readonly<Record<string, unknown>>) => boolean): Controls {
  const section = element('controls', HTMLElement);
  const outcome = element('control-outcome', HTMLElement);
  const buttons = [...section.querySelectorAll('button')];
  const waiting = new Map<string, { readonly label: string; readonly timer: ReturnType<typeof setTimeout> }>();
  /** The last command that was accepted, until its outcome is known. */
  let accepted: { readonly requestId: string; readonly label: string } | undefined;
  let armed: { readonly button: HTMLButtonElement; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  let sent = 0;

  function disarm(): void {
    if (!armed) return;
    clearTimeout(armed.timer);
    armed.button.classList.remove('armed');
    setText(armed.button, labelOf(armed.button));
    armed = undefined;
  }

  function press(button: HTMLButtonElement): void {
    const confirmed = armed?.button === button;
    disarm();
    if (confirmed) {
      command(button);
      return;
    }
    button.classList.add('armed');
    setText(button, `Press again: ${labelOf(button).toLowerCase()}`);
    armed = { button, timer: setTimeout(disarm, CONFIRM_TIMEOUT_MS) };
  }

  function command(button: HTMLButtonElement): void {
    const label = labelOf(button);
    const id = `command-${++sent}`;
    if (!send({ action: 'control', id, command: { name: button.value } })) {
      setText(outcome, `${label}: not connected`);
      return;
    }
    setText(outcome, `${label}: sent`);
    const timer = setTimeout(() => waiting.delete(id) && setText(outcome, `${label}: no answer`), ANSWER_TIMEOUT_MS);
    waiting.set(id, { label, timer });
  }

  for (const button of buttons) {
    button.dataset['label'] = button.textContent.trim();
    button.addEventListener('click', () => press(button));
    button.addEventListener('blur', disarm);
  }

  return {
    show: (permitted) => (section.hidden = !permitted),
    setConnected(connected) {
      if (!connected) disarm();
      for (const button of buttons) button.disabled = !connected;
    },
    onAnswer({ type, id = '', requestId, code }) {
      const asked = waiting.get(id);
      if (!asked) return;
      waiting.delete(id);
      clearTimeout(asked.timer);
      const reason = errorText(code) ?? 'could not be sent';
      if (type === 'accepted' && requestId !== undefined) accepted = { requestId, label: asked.label };
      setText(outcome, `${asked.label}: ${type === 'accepted' ? 'accepted' : reason}`);
    },
    onOutcome({ requestId, outcome: what, reason }) {
      // Outcomes of other viewers' commands arrive too.
      if (accepted?.requestId !== requestId) return;
      const why = reason === undefined ? '' : ` (${reason.toLowerCase().replaceAll('_', ' ')})`;
      setText(outcome, `${accepted.label}: ${what.toLowerCase()}${why}`);
      accepted = undefined;
    },
  };
}

function labelOf(button: HTMLButtonElement): string {
  return button.dataset['label'] ?? '';
}
