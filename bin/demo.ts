import { runDemo } from './demo/run-demo';

runDemo().then(
  () => console.log('\nThe demo passed.'),
  (error: unknown) => {
    console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  },
);
