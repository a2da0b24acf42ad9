import { element } from './element';

/** A choice of the viewer that this browser remembers. */
export interface StoredSetting<Value extends string> {
  readonly value: Value;
  /** Calls the listener after each change. */
  onChange(listener: () => void): void;
  /** Shows the choice in the select element with this id and takes it from there. */
  bind(id: string): void;
}

/** A browser may forbid storage, and then even the access throws. */
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice holds until the page is closed.
  }
}

/** @param values all values; the first is the default */
function createSetting<Value extends string>(name: string, values: readonly [Value, ...Value[]]): StoredSetting<Value> {
  const key = `share-page.${name}`;
  const valueOf = (text: string | null) => values.find((one) => one === text) ?? values[0];
  const listeners: (() => void)[] = [];
  let value = valueOf(read(key));
  return {
    get value() {
      return value;
    },
    onChange: (listener) => void listeners.push(listener),
    bind(id) {
      const select = element(id, HTMLSelectElement);
      select.value = value;
      select.addEventListener('change', () => {
        value = valueOf(select.value);
        write(key, value);
        for (const listener of listeners) listener();
      });
    },
  };
}

/** Metric by default in every language: so are the figures of the API and its documents. */
export const units = createSetting('units', ['metric', 'imperial']);
export const theme = createSetting('theme', ['system', 'light', 'dark']);
export const chartRange = createSetting('chart-range', ['recent', 'flight']);

/** Whether the page is on its way to paper, which is white. */
let isPrinting = false;
for (const [event, next] of [
  ['beforeprint', true],
  ['afterprint', false],
] as const)
  addEventListener(event, () => (isPrinting = next));

const systemDark = matchMedia('(prefers-color-scheme: dark)');

/** Calls the listener when the colours change, by the viewer's choice the system's, or for paper. */
export function onThemeChange(listener: () => void): void {
  theme.onChange(listener);
  systemDark.addEventListener('change', listener);
  addEventListener('beforeprint', listener);
  addEventListener('afterprint', listener);
}

/** Applies the viewer's choice of colours, to the browser's own bars too, now and after each change. */
export function applyTheme(): void {
  const root = document.documentElement;
  const apply = () => {
    root.dataset['theme'] = isPrinting ? 'light' : theme.value;
    const ground = getComputedStyle(root).getPropertyValue('--ground').trim();
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) meta.content = ground;
  };
  apply();
  onThemeChange(apply);
}
