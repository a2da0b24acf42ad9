import asyncHooks from 'node:async_hooks';
import { Script } from 'node:vm';
import Runtime from 'jest-runtime';

/** A module that imports at run time is compiled by jest, which answers the import. */
const IMPORTS = /\bimport\s*\(/;

/** Those that were made since the last test file. */
const storages = new Set();

class ListedStorage extends asyncHooks.AsyncLocalStorage {
  constructor(...given) {
    super(...given);
    storages.add(this);
  }
}
asyncHooks.AsyncLocalStorage = ListedStorage;

/**
 * jest's runtime, with modules that V8 compiles once for all test files of a worker. jest compiles each of them again
 * for each file, by `vm.compileFunction`, whose results V8 doesn't keep as it keeps those of scripts: a sixth of a
 * run's processor time.
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

  /**
   * Before Node.js 24 every promise of a process passes every `AsyncLocalStorage` that was ever used, which keeps its
   * test file in memory, too. jest's own, one for each file, took a fifth of the time of the hundredth file.
   */
  teardown() {
    for (const storage of storages) storage.disable();
    storages.clear();
    return super.teardown();
  }
}

// jest requires this file.
export { KeptScripts as 'module.exports' };
