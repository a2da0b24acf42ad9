import type { Telemetry } from './messages';
import { decimal } from './units';

export interface Announcer {
  /** Says something now. */
  say(text: string): void;
  /** Says how the drone flies, now and then. */
  figures(sample: Telemetry): void;
}

/** Nobody can listen to ten samples a second. */
const EVERY_MS = 30_000;

/** What a screen reader says by itself; everything else can be read when somebody goes there. */
export function createAnnouncer(region: HTMLElement): Announcer {
  let saidAt = 0;
  const say = (text: string) => {
    saidAt = Date.now();
    region.textContent = text;
  };
  return {
    say,
    figures({ navigation, battery }) {
      if (Date.now() - saidAt < EVERY_MS) return;
      const altitude = navigation?.position?.coordinates[2];
      const speed = navigation?.velocity?.groundSpeed;
      const parts = [
        altitude === undefined ? [] : `Altitude ${decimal(altitude, 0)} metres`,
        speed === undefined ? [] : `speed ${decimal(speed, 0)} metres per second`,
        battery?.percent === undefined ? [] : `battery ${decimal(battery.percent, 0)} percent`,
      ];
      say(parts.flat().join(', '));
    },
  };
}
