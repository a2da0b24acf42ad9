import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SynthesisedStack } from '../assemblies';
import { removedResources, type RemovedResource } from './emulator-differences';
import { expandRestApiBodies } from './expand-rest-api-body';
import type { Json, Template } from './template';

/** Number of deployed resources, of those that stand for the body of an API, and of removed ones by reason. */
export interface TrimResult {
  readonly kept: number;
  readonly expanded: number;
  readonly removed: ReadonlyMap<RemovedResource, number>;
}

/**
 * Copies a synthesised app without the resources that the emulator can't create and the references to them; resources
 * stand for the body of an API.
 * @param folder of the copy
 */
export function trimmedCopy({ folder: from, templateFile }: SynthesisedStack, folder: string): TrimResult {
  // Other apps are in sub-folders.
  const own = /^(asset\.|[^/]*\.json$|cdk\.out$)/;
  cpSync(from, folder, { recursive: true, filter: (path) => path === from || own.test(path.slice(from.length + 1)) });
  const file = join(folder, basename(templateFile));
  const template = JSON.parse(readFileSync(file, 'utf8')) as Template;
  const expanded = expandRestApiBodies(template);
  const without = trim(template);
  writeFileSync(file, JSON.stringify(template));
  return { kept: Object.keys(template.Resources).length, expanded, removed: without };
}

function trim({ Resources, Outputs = {} }: Template): Map<RemovedResource, number> {
  const named = (one: RemovedResource) =>
    Object.entries(Resources)
      .filter(([, { Type, Properties = {} }]) => one.type === Type && (!one.having || one.having in Properties))
      .map(([logicalId]) => logicalId);
  const found = removedResources.map((one) => [one, named(one)] as const);
  const removed = new Set(found.flatMap(([, logicalIds]) => logicalIds));
  for (const logicalId of removed) Reflect.deleteProperty(Resources, logicalId);
  for (const resource of Object.values(Resources)) {
    if (resource.Properties) removeReferences(resource.Properties, removed);
    if (resource.DependsOn) resource.DependsOn = [resource.DependsOn].flat().filter((name) => !removed.has(name));
  }
  for (const [name, { Value }] of Object.entries(Outputs))
    if (refersTo(Value, removed)) Reflect.deleteProperty(Outputs, name);
  return new Map(found.map(([one, logicalIds]) => [one, logicalIds.length]));
}

/** Removes references to removed resources; within a text they are replaced by a placeholder. */
function removeReferences(value: Json, removed: ReadonlySet<string>, isText = false): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const kept = isText
      ? value.map((one) => (refersTo(one, removed) ? 'left-out' : one))
      : value.filter((one) => !refersTo(one, removed));
    value.splice(0, value.length, ...kept);
    for (const one of value) removeReferences(one, removed, isText);
  } else {
    for (const [key, one] of Object.entries(value)) {
      if (refersTo(one, removed)) Reflect.deleteProperty(value, key);
      else removeReferences(one, removed, key === 'Fn::Join');
    }
  }
}

/** Whether a value is `Ref` or `Fn::GetAtt` of a removed resource. */
function refersTo(value: Json, removed: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { Ref, 'Fn::GetAtt': attribute } = value;
  const name = Ref ?? (Array.isArray(attribute) ? attribute[0] : undefined);
  return typeof name === 'string' && removed.has(name);
}
