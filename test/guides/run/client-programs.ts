import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Guide, kindOf } from '../read/guide';
import { languageNames, languages, type Command, type LanguageName } from '../../clients/languages';
import { runProgram, type Run } from './shell';

/** Inside of the project, so that the programs find the client as a package. */
const folder = join(__dirname, '../../../node_modules/.cache/guides');
const folderOf = (language: LanguageName) => join(folder, language);

/** A block in a language of the clients, which is a whole program. */
export interface ClientProgram {
  readonly guide: string;
  readonly line: number;
  readonly language: LanguageName;
  readonly text: string;
  /** As its file is called: no other program in its language has this name. */
  readonly name: string;
}

/** The programs of all guides, by language. */
export const programsIn = (guides: readonly Guide[]): ClientProgram[] =>
  languageNames.flatMap((language) =>
    guides.flatMap(({ name: guide, blocks }) =>
      blocks
        .filter((block) => block.language === language && kindOf(block) === 'program')
        .map(({ text, line }) => ({ guide, line, language, text, name: `${guide.replaceAll('-', '_')}_${line}` })),
    ),
  );

/** Writes the programs where they can be run. @throws Error when some can't be compiled */
export async function writePrograms(programs: readonly ClientProgram[]): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  for (const { language, name, text } of programs) {
    const file = join(folderOf(language), languages[language].file(name));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  for (const language of languageNames) await languages[language].prepare?.(folderOf(language));
}

/** Checks all written programs of a language. @returns what the checks print that find something */
export async function findingsIn(language: LanguageName): Promise<Run[]> {
  const findings: Run[] = [];
  for (const check of await languages[language].checks(folderOf(language))) {
    const result = await runIn(process.env, check);
    if (result.code !== 0 || result.stdout !== '') findings.push(result);
  }
  return findings;
}

/** Runs a written program, with the variables of a shell. */
export async function runClientProgram({ language, name }: ClientProgram, variables: NodeJS.ProcessEnv): Promise<Run> {
  return runIn({ ...process.env, ...variables }, await languages[language].run(folderOf(language), name));
}

const runIn = (environment: NodeJS.ProcessEnv, { program, args, env }: Command) =>
  runProgram(program, args, { ...environment, ...env });
