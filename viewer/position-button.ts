import { element, setText } from './element';
import { texts } from './locale';

/** How long the button says what it did, in ms. */
const SAID_FOR_MS = 3000;

/**
 * The button that copies the position as maps and spreadsheets take it: `47.37690, 8.54170`.
 * @param position the position to copy, in degrees
 */
export function createPositionButton(position: () => { longitude: number; latitude: number } | undefined): void {
  const button = element('copy-position', HTMLButtonElement);
  const { copy, copied, notCopied } = texts.buttons;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const say = (text: string) => {
    setText(button, text);
    clearTimeout(timer);
    timer = setTimeout(() => setText(button, copy), SAID_FOR_MS);
  };
  setText(button, copy);
  button.addEventListener('click', () => {
    const here = position();
    if (!here) return;
    void copyText(`${here.latitude.toFixed(5)}, ${here.longitude.toFixed(5)}`).then(
      () => say(copied),
      () => say(notCopied),
    );
  });
}

/** A page without TLS has no clipboard: access to it throws, too. */
async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
