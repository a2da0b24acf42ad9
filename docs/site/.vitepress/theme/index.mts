import theme from 'vitepress/theme-without-fonts';
import type { Theme } from 'vitepress';
import { ApiReference } from '../../reference/api-reference';
import './style.css';

/** VitePress's theme with the fonts of the reader's system: nothing is loaded for them. */
export default {
  extends: theme,
  enhanceApp: ({ app }) => void app.component('ApiReference', ApiReference),
} satisfies Theme;
