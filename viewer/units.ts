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
