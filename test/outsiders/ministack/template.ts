export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface TemplateResource {
  Type: string;
  Properties?: Record<string, Json>;
  DependsOn?: string | string[];
}

/** A synthesised template, as far as the lane changes it. */
export interface Template {
  Resources: Record<string, TemplateResource>;
  readonly Outputs?: Record<string, { Value: Json }>;
}
