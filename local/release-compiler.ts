import { stop } from 'esbuild';

/**
 * Ends the compiler of TypeScript that a process keeps beside it once it has compiled a file, 16 MB each. It comes back
 * by itself when there is another one to compile.
 */
export const releaseCompiler = (): Promise<void> => stop();
