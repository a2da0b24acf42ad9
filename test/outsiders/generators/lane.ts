import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lane } from '../lane';
import { csharpClient, javaClient } from './openapi-generator';
import { goClient, ogenClient } from './go';
import { pythonClient, platformEvents } from './python';
import { GenerationFailed } from './step';
import { typescriptClient } from './typescript';

/**
 * Generates a client in an empty folder and compiles it.
 * @returns what was compiled
 * @throws Error with the output of a failure
 */
type Generator = (folder: string) => Promise<string>;

const generated: Readonly<Record<string, Generator>> = {
  TypeScript: typescriptClient,
  Go: goClient,
  'Go, ogen': ogenClient,
  Java: javaClient,
  'C#': csharpClient,
  Python: pythonClient,
  'Python, events of the platform': platformEvents,
};

/** Generators for several languages take the documents as they are, and compilers what they make of it. */
export const generators: Lane = {
  title:
    'clients generated from the OpenAPI document in TypeScript, Go, Java, C# and Python, and events of the platform, by their compilers',
  run: async () => {
    const findings: string[] = [];
    for (const [language, generate] of Object.entries(generated)) {
      const folder = mkdtempSync(join(tmpdir(), 'outsiders-generators-'));
      try {
        console.log(`  ${language}: ${await generate(folder)}`);
      } catch (error) {
        if (!(error instanceof GenerationFailed)) throw error;
        findings.push(`${language}: ${error.message}`);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
    console.log(
      '  left out: generators for other languages, compiling the C# code, and types of messages, which clients/ generates',
    );
    return findings;
  },
};
