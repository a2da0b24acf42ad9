import { element } from './element';
import { texts } from './locale';

export interface Stage {
  /** The share has ended, and the video with it: only the note about it is left. */
  end(): void;
}

/** The place of map and video: which of them is the large one, and full screen. */
export function createStage(): Stage {
  const stage = element('stage', HTMLElement);
  const screen = element('screen', HTMLElement);
  // Each pane has the button, and only the large one shows it.
  const swaps = [...stage.querySelectorAll<HTMLButtonElement>('.swap')];
  for (const button of swaps)
    button.addEventListener('click', () => {
      stage.classList.toggle('swapped');
      swaps.find((one) => one !== button)?.focus();
    });
  for (const button of stage.querySelectorAll<HTMLButtonElement>('.full-screen')) addFullScreen(button);
  return { end: () => void (screen.dataset['video'] = 'none') };
}

/** A button that shows its pane in full screen, and back; a phone without that function hides it. */
function addFullScreen(button: HTMLButtonElement): void {
  const pane = button.closest('section');
  button.hidden = !document.fullscreenEnabled;
  const label = button.ariaLabel ?? '';
  button.addEventListener('click', () => {
    // A browser refuses it without a click, or leaves it by itself: nothing depends on it.
    const done = document.fullscreenElement ? document.exitFullscreen() : pane?.requestFullscreen();
    done?.catch(() => undefined);
  });
  pane?.addEventListener('fullscreenchange', () => {
    button.ariaLabel = document.fullscreenElement === pane ? texts.buttons.leaveFullScreen : label;
    button.title = button.ariaLabel;
  });
}
