import { TestEnvironment } from 'jest-environment-node';
import { untilOnboarded } from './readiness';

/** Of test files that need the stack: they wait for it before they are loaded. */
export default class WithStack extends TestEnvironment {
  override async setup(): Promise<void> {
    await untilOnboarded();
    await super.setup();
  }
}
