import { stop } from 'esbuild';

/**
 * Stops the esbuild child process (16 MB) that stays after the first TypeScript file was compiled. esbuild starts it
 * again when needed.
 */
export const stopEsbuild = (): Promise<void> => stop();
