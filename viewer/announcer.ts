import { elapsed } from './clock';
import { format, texts } from './locale';
import type { Telemetry } from './parse-message';

export interface Announcer {
  /** Announces a text now. */
  announce(text: string): void;
  /**
   * Announces the flight figures, at most every 30 s.
   * @param age of figures that are not live, in ms @param distanceLeft in metres
   */
  announceFigures(sample: Telemetry, age: number | undefined, distanceLeft: number | undefined): void;
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
    announceFigures({ navigation, battery }, age, distanceLeft) {
      if (elapsed() - announcedAt < FIGURES_EVERY_MS) return;
      const altitude = navigation?.position?.coordinates[2];
      const speed = navigation?.velocity?.groundSpeed;
      const figures = texts.announced(
        altitude === undefined ? '' : format.spoken(altitude, 'length'),
        speed === undefined ? '' : format.spoken(speed, 'speed'),
        battery?.percent === undefined ? '' : format.percent(battery.percent),
        distanceLeft === undefined ? '' : format.spoken(distanceLeft, 'length'),
      );
      announce(age === undefined ? figures : texts.announcedOld(format.age(age), figures));
    },
  };
}
