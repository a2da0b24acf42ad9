import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';

/**
 * Rule of oxlint: a file may import its own folder and what the row of its folder allows. The option `folders` has a row for
 * each folder: other folders, folders only for types, packages, whether it may import modules of Node.js, and whether
 * it is that of the files in it only, not of those in folders below. A row `true` allows everything. A file in a folder
 * without a row is refused.
 */
const arrows = {
  meta: { schema: [{ type: 'object' }] },
  create(context) {
    const [{ folders }] = context.options;
    const file = relative(context.cwd, context.filename);
    const own = folderOf(folders, file);
    if (own === undefined) {
      return {
        Program: (node) => context.report({ node, message: `No import rule has the folder of this file: ${SEE}` }),
      };
    }
    if (folders[own] === true) return {};

    const check = (source, isType) => {
      const specifier = source?.type === 'TemplateLiteral' ? source.quasis[0].value.cooked : source?.value;
      if (typeof specifier !== 'string') return;
      const isAllowed = specifier.startsWith('.')
        ? allowsFile(folders, own, join(dirname(file), specifier), isType)
        : allowsModule(folders[own], specifier);
      if (!isAllowed) context.report({ node: source, message: `${own}/ may not import ${specifier}: ${SEE}` });
    };
    const checkDeclaration = (node) => check(node.source, (node.importKind ?? node.exportKind) === 'type');
    return {
      ImportDeclaration: checkDeclaration,
      ExportNamedDeclaration: checkDeclaration,
      ExportAllDeclaration: checkDeclaration,
      ImportExpression: (node) => check(node.source, false),
      TSImportType: (node) => check(node.source, true),
      TSExternalModuleReference: (node) => check(node.expression, false),
    };
  },
};

export default { meta: { name: 'imports' }, rules: { arrows } };

const SEE = 'see oxlint.config.mjs and CONTRIBUTING.md.';

/** The innermost folder of the map that holds the file. */
function folderOf(folders, file) {
  return Object.keys(folders)
    .filter((folder) => file.startsWith(`${folder}/`) && !(folders[folder].filesOnly && isBelow(folder, file)))
    .reduce((inner, folder) => (inner === undefined || folder.length > inner.length ? folder : inner), undefined);
}

const isBelow = (folder, file) => file.includes('/', folder.length + 1);

function allowsFile(folders, own, file, isType) {
  const row = folders[own];
  const target = folderOf(folders, file);
  return target === own || row.folders.includes(target) || (isType && row.types.includes(target));
}

function allowsModule({ packages, node }, specifier) {
  if (isBuiltin(specifier)) return node;
  const [name] = /^(@[^/]*\/)?[^/]*/.exec(specifier);
  return packages.some((allowed) =>
    allowed.endsWith('/*') ? name.startsWith(allowed.slice(0, -1)) : name === allowed,
  );
}
