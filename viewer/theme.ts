import { theme } from './settings';

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
