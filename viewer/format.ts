const DASH = '–';
const compassPoints = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'] as const;

/** A number with fixed decimals, without negative zero; a dash for undefined. */
export function formatNumber(value: number | undefined, digits = 1): string {
  return value === undefined ? DASH : (value + 0).toFixed(digits).replace(/^-(0(?:\.0+)?)$/, '$1');
}

/** Degrees from north with the compass point: `271° W`. */
export function formatHeading(degrees: number | undefined): string {
  if (degrees === undefined) return DASH;
  return `${Math.round(degrees) % 360}° ${compassPoints[Math.round(degrees / 45) % 8] ?? ''}`;
}

/** A duration: `4:09`, or `3 h 05 min` from an hour on; never negative. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  return minutes < 60 ? `${minutes}:${two(seconds % 60)}` : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** A state as text: `TASK_INPROGRESS` becomes `Task in progress`. Unknown states work too. */
export function formatState(state: string | undefined): string {
  if (state === undefined) return DASH;
  const text = state.replace('INPROGRESS', 'IN_PROGRESS').replaceAll('_', ' ').toLowerCase();
  return text === 'gps normal' ? 'GPS normal' : text.charAt(0).toUpperCase() + text.slice(1);
}

/** A position: `47.37690° N, 8.54170° E`. */
export function formatPosition(longitude: number, latitude: number): string {
  const one = (value: number, plus: string, minus: string) =>
    `${Math.abs(value).toFixed(5)}° ${value < 0 ? minus : plus}`;
  return `${one(latitude, 'N', 'S')}, ${one(longitude, 'E', 'W')}`;
}
