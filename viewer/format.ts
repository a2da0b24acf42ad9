import type { Texts } from './texts/texts';

/** What the viewer can choose. */
export type Units = 'metric' | 'imperial';

/** Kinds of figures that have a unit; the API has metres, metres per second, degrees Celsius, and millimetres per hour. */
export type Quantity = 'length' | 'speed' | 'otherSpeed' | 'climb' | 'temperature' | 'rain';

export interface Measure {
  readonly symbol: string;
  /** Identifier of Intl.NumberFormat, for the unit's name. */
  readonly unit: string;
  /** From the API's unit to this one. */
  readonly convert: (value: number) => number;
  /** Usual decimals. */
  readonly digits: number;
}

const measure = (symbol: string, unit: string, factor: number, digits = 1): Measure => ({
  symbol,
  unit,
  digits,
  convert: (value) => value * factor,
});

const FEET = 1 / 0.3048;

/** `otherSpeed` is a second unit of speed, which more people know. */
export const measures: Readonly<Record<Units, Readonly<Record<Quantity, Measure>>>> = {
  metric: {
    length: measure('m', 'meter', 1),
    speed: measure('m/s', 'meter-per-second', 1),
    otherSpeed: measure('km/h', 'kilometer-per-hour', 3.6, 0),
    climb: measure('m/s', 'meter-per-second', 1),
    temperature: measure('°C', 'celsius', 1, 0),
    rain: measure('mm/h', 'millimeter-per-hour', 1),
  },
  imperial: {
    length: measure('ft', 'foot', FEET, 0),
    speed: measure('mph', 'mile-per-hour', 3600 / 1609.344),
    otherSpeed: measure('ft/s', 'foot-per-second', FEET, 0),
    climb: measure('ft/s', 'foot-per-second', FEET),
    temperature: { ...measure('°F', 'fahrenheit', 1, 0), convert: (celsius) => celsius * 1.8 + 32 },
    rain: measure('in/h', 'inch-per-hour', 1 / 25.4, 2),
  },
};

export interface FormatOptions {
  /** Tag of language and region (BCP 47). */
  readonly locale: string;
  readonly texts: Texts;
  readonly units: () => Units;
}

/** Figures as text, in one language. Undefined values are shown as a dash. */
export type Format = ReturnType<typeof createFormat>;

const DASH = '–';

export function createFormat({ locale, texts, units }: FormatOptions) {
  /** A number with fixed decimals, without negative zero. */
  const number = (value: number | undefined, digits = 1) =>
    value === undefined
      ? DASH
      : new Intl.NumberFormat(locale, {
          minimumFractionDigits: digits,
          maximumFractionDigits: digits,
          useGrouping: 'min2',
          signDisplay: 'negative',
        }).format(value);
  /** A percentage: `76 %`. */
  const percent = (value: number) => `${number(value, 0)} %`;
  /** A value of the API's unit in the viewer's, without the unit's symbol. */
  const amount = (value: number | undefined, kind: Quantity, digits?: number) => {
    const { digits: usual, convert } = measures[units()][kind];
    return number(value === undefined ? undefined : convert(value), digits ?? usual);
  };
  /** The symbol of the viewer's unit: `m`, `mph`. */
  const symbol = (kind: Quantity) => measures[units()][kind].symbol;
  /** The name of the viewer's unit: `meters`. */
  const unitName = (kind: Quantity) => spoken(0, kind).replace(/^\S+\s*/, '');
  /** With the unit's symbol: `12.5 m/s`. */
  const withUnit = (value: number, kind: Quantity, digits?: number) => `${amount(value, kind, digits)} ${symbol(kind)}`;

  /** With the unit's name, for screen readers: `482 meters`. */
  function spoken(value: number, kind: Quantity): string {
    const { unit, convert } = measures[units()][kind];
    const options = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 } as const;
    return new Intl.NumberFormat(locale, options).format(convert(value));
  }

  const point = (degrees: number) => texts.compass.points[Math.round(degrees / 45) % 8] ?? '';

  return {
    number,
    percent,
    amount,
    symbol,
    unitName,
    withUnit,
    spoken,
    point,

    /** Degrees from north with the compass point: `271° W`. */
    heading: (degrees: number | undefined) =>
      degrees === undefined ? DASH : `${Math.round(degrees) % 360}° ${point(degrees)}`,

    /** A duration in ms, never negative: `59 s`, `4 min 09 s`, `3 h 05 min`. */
    duration(milliseconds: number): string {
      const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
      const minutes = Math.floor(seconds / 60);
      const two = (value: number) => String(value).padStart(2, '0');
      if (minutes === 0) return `${seconds} s`;
      return minutes < 60
        ? `${minutes} min ${two(seconds % 60)} s`
        : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
    },

    /** A duration in ms in its largest unit: `12 s`, `10 min`, `3 h`, `2 days`. */
    age(milliseconds: number): string {
      const minutes = Math.floor(milliseconds / 60_000);
      if (minutes < 1) return `${Math.floor(milliseconds / 1000)} s`;
      if (minutes < 60) return `${minutes} min`;
      return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : texts.figures.days(Math.floor(minutes / 1440));
    },

    /** A state in words; an unknown one is made readable: `SOMETHING_NEW` becomes `Something new`. */
    state(state: string | undefined, known: Readonly<Record<string, string>>): string {
      if (state === undefined) return DASH;
      const text = state.replaceAll('_', ' ').toLowerCase();
      return (Object.hasOwn(known, state) ? known[state] : undefined) ?? text.charAt(0).toUpperCase() + text.slice(1);
    },

    /** The hour and minute of a time in Unix milliseconds, in the viewer's zone: `10:42`. */
    clock: (milliseconds: number) =>
      new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(milliseconds),

    /** A position: `47.37690° N, 8.54170° E`. */
    position(longitude: number | undefined, latitude: number | undefined): string {
      if (longitude === undefined || latitude === undefined) return DASH;
      const { north, south, east, west } = texts.compass;
      const one = (value: number, plus: string, minus: string) =>
        `${number(Math.abs(value), 5)}° ${value < 0 ? minus : plus}`;
      return `${one(latitude, north, south)}, ${one(longitude, east, west)}`;
    },

    /**
     * Time of day with its zone, and the date unless it is today's.
     * @param now Unix milliseconds @param timeZone the viewer's if undefined
     */
    time(timestamp: string, now: number | undefined, timeZone?: string): string {
      const moment = new Date(timestamp);
      const today = now !== undefined && moment.toDateString() === new Date(now).toDateString();
      return new Intl.DateTimeFormat(locale, {
        ...(!today && { day: 'numeric', month: 'short' }),
        ...(now === undefined && { year: 'numeric' }),
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        hourCycle: 'h23',
        timeZoneName: 'short',
        ...(timeZone && { timeZone }),
      }).format(moment);
    },
  };
}
