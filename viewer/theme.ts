import { theme } from './settings';

const systemDark = matchMedia('(prefers-color-scheme: dark)');

/** Calls the listener when the colours change, by the viewer's choice or the system's. */
export function onThemeChange(listener: () => void): void {
  theme.onChange(listener);
  systemDark.addEventListener('change', listener);
}

/** Applies the viewer's choice of colours, to the browser's own bars too, now and after each change. */
export function applyTheme(): void {
  const root = document.documentElement;
  const apply = () => {
    root.dataset['theme'] = theme.value;
    const ground = getComputedStyle(root).getPropertyValue('--ground').trim();
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) meta.content = ground;
  };
  apply();
  onThemeChange(apply);
}
