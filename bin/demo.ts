import { demo } from './demo/story';

demo().then(
  () => console.log('\nThe whole story worked.'),
  (error: unknown) => {
    console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  },
);
