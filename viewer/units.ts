const DASH = '–';
const winds = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'] as const;

/** A number with fixed decimals, without a minus before zero; a dash for nothing. */
export function decimal(value: number | undefined, digits = 1): string {
  return value === undefined ? DASH : (value + 0).toFixed(digits).replace(/^-(0(?:\.0+)?)$/, '$1');
}

/** Degrees from north with the point of the compass: `271° W`. */
export function compass(degrees: number | undefined): string {
  if (degrees === undefined) return DASH;
  return `${Math.round(degrees) % 360}° ${winds[Math.round(degrees / 45) % 8] ?? ''}`;
}

/** A span of time: `4:09`, or `3 h 05 min` from an hour on; never below zero. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  return minutes < 60 ? `${minutes}:${two(seconds % 60)}` : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** An open-ended state of the platform in words: `TASK_INPROGRESS` becomes `Task in progress`. */
export function words(state: string | undefined): string {
  if (state === undefined) return DASH;
  const text = state.replace('INPROGRESS', 'IN_PROGRESS').replaceAll('_', ' ').toLowerCase();
  return text === 'gps normal' ? 'GPS normal' : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Where something is: `47.37690° N, 8.54170° E`. */
export function place(longitude: number, latitude: number): string {
  const one = (value: number, plus: string, minus: string) =>
    `${Math.abs(value).toFixed(5)}° ${value < 0 ? minus : plus}`;
  return `${one(latitude, 'N', 'S')}, ${one(longitude, 'E', 'W')}`;
}
