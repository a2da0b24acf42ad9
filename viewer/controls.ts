import { errorText } from './error-text';
import { element, setText } from './element';
import { texts } from './locale';
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
  /** The last command that the service accepted, until its outcome is known. */
  let accepted: { readonly requestId: string; readonly label: string } | undefined;
  let armed: { readonly button: HTMLButtonElement; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  let sent = 0;

  const say = (label: string, text: string) => setText(outcome, `${label}: ${text}`);

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
    setText(button, texts.controls.armed(labelOf(button)));
    armed = { button, timer: setTimeout(disarm, CONFIRM_TIMEOUT_MS) };
  }

  function command(button: HTMLButtonElement): void {
    const label = labelOf(button);
    const id = `command-${++sent}`;
    if (!send({ action: 'control', id, command: { name: button.value } })) {
      say(label, texts.controls.notConnected);
      return;
    }
    say(label, texts.controls.sending);
    const timer = setTimeout(() => waiting.delete(id) && say(label, texts.controls.noAnswer), ANSWER_TIMEOUT_MS);
    waiting.set(id, { label, timer });
  }

  for (const button of buttons) {
    button.dataset['name'] = button.textContent.trim();
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
      if (type === 'accepted') {
        // The service has passed it on; only the platform knows what the drone made of it.
        if (requestId !== undefined) accepted = { requestId, label: asked.label };
        say(asked.label, texts.controls.unconfirmed);
      } else say(asked.label, errorText(code) ?? texts.controls.notSent);
    },
    onOutcome({ requestId, outcome: what, reason }) {
      // Outcomes of other viewers' commands arrive too.
      if (accepted?.requestId !== requestId) return;
      const { reasons, controls } = texts;
      const isRefused = what === 'REFUSED' || what === 'FAILED';
      const why = isRefused ? ` ${reason ? reasons[reason] : controls.withoutReason}` : '';
      say(accepted.label, controls[what] + why);
      if (what !== 'DELIVERED') accepted = undefined;
    },
  };
}

function labelOf(button: HTMLButtonElement): string {
  return button.dataset['name'] ?? '';
}
