import { ESLint } from 'eslint';
import { text } from 'node:stream/consumers';
import tseslint from 'typescript-eslint';

/**
 * Reads [{ file, code }] from stdin and prints for each the ESLint rules that it breaks, without those that need types.
 * A separate process, since jest can't load ESLint's configuration, which is an ES module.
 */
const eslint = new ESLint({
  overrideConfig: [
    tseslint.configs.disableTypeChecked,
    { languageOptions: { parserOptions: { projectService: false } } },
  ],
  ruleFilter: ({ ruleId }) => /^(boundaries|no-restricted|@typescript-eslint\/no-restricted-imports)/.test(ruleId),
});
const found = [];
for (const { file, code } of JSON.parse(await text(process.stdin))) {
  const results = await eslint.lintText(code, { filePath: file });
  found.push(results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message)));
}
process.stdout.write(JSON.stringify(found));
