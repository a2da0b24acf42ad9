import { Script } from 'node:vm';
import Runtime from 'jest-runtime';

/** A module that imports at run time is compiled by jest, which answers the import. */
const IMPORTS = /\bimport\s*\(/;

/**
 * jest's runtime, with modules that V8 compiles once for all test files of a worker. jest compiles each of them again for each file, by
 * `vm.compileFunction`, whose results V8 doesn't keep as it keeps those of scripts: a sixth of a run's processor time.
 */
class KeptScripts extends Runtime {
  constructor(...given) {
    super(...given);
    const { executor } = this;
    const compileAgain = executor.compile.bind(executor);
    const parameters = executor.injectedModuleParameters.join(',');
    executor.compile = (source, filename) => {
      const context = executor.environment.getVmContext();
      if (context === null || IMPORTS.test(source)) return compileAgain(source, filename);
      try {
        return new Script(`(function(${parameters}){${source}\n})`, { filename }).runInContext(context);
      } catch {
        // It can't be parsed, which jest explains.
        return compileAgain(source, filename);
      }
    };
  }
}

// jest requires this file.
export { KeptScripts as 'module.exports' };
