import { element } from './element';
import { texts } from './locale';
import type { Playback } from './messages';

export interface Stage {
  /** Whether there is a video to show; without one only its note is. */
  onPlayback(playback: Playback): void;
  /** The share has ended, and the video with it. */
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
  // Events of media do not bubble, and the player replaces its element: so they are caught on their way down.
  screen.addEventListener('playing', () => (screen.dataset['video'] = 'shown'), true);

  return {
    onPlayback({ playback }) {
      if (!playback) screen.dataset['video'] = 'none';
      else if (screen.dataset['video'] === 'none') screen.dataset['video'] = 'waiting';
    },
    end: () => void (screen.dataset['video'] = 'none'),
  };
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
