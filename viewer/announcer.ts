import type { KnownState } from '../domain/telemetry/known-state';
import { elapsed } from './clock';
import { format, texts } from './locale';
import { ageOfOld, POSITION } from './old-values';

export interface Announcer {
  /** Announces a text now. */
  announce(text: string): void;
  /** Announces the flight figures, at most every 30 s. */
  announceFigures(state: KnownState, context: AnnouncedContext): void;
}

export interface AnnouncedContext {
  /** The server's time, in Unix milliseconds. */
  readonly now: number;
  /** Of figures that are not live, in ms. */
  readonly age: number | undefined;
  /** In metres. */
  readonly distanceLeft: number | undefined;
}

/** Nobody can listen to ten samples a second. */
const FIGURES_EVERY_MS = 30_000;

/** Live region for screen readers; all other content is read on navigation only. */
export function createAnnouncer(region: HTMLElement): Announcer {
  let announcedAt = -Infinity;
  const announce = (text: string) => {
    announcedAt = elapsed();
    region.textContent = text;
  };
  return {
    announce,
    announceFigures(state, { now, age, distanceLeft }) {
      if (elapsed() - announcedAt < FIGURES_EVERY_MS) return;
      const { navigation, battery } = state;
      const altitude = navigation?.position?.coordinates[2];
      const speed = navigation?.velocity?.groundSpeed;
      /** A figure, and how old it is if it is older than the others. */
      const say = (path: string, value: number | undefined, words: (value: number) => string) => {
        const oldFor = ageOfOld(state, [path], now);
        const old = oldFor === undefined ? '' : ` (${texts.figures.measuredBefore(format.age(oldFor))})`;
        return value === undefined ? '' : `${words(value)}${old}`;
      };
      const metres = (value: number) => format.spoken(value, 'length');
      const figures = texts.announced(
        say(POSITION, altitude, metres),
        say('navigation.velocity.groundSpeed', speed, (value) => format.spoken(value, 'speed')),
        say('battery.percent', battery?.percent, format.percent),
        distanceLeft === undefined ? '' : metres(distanceLeft),
      );
      announce(age === undefined ? figures : texts.announcedOld(format.age(age), figures));
    },
  };
}
