import type { Clock } from '../core/clock.ts'
import { randomUuid, type RandomSource } from '../core/random.ts'
import type { JsonObject } from '../core/specification.ts'
import type { Blueprint } from './model.ts'

/** What a new blueprint starts with. @public */
export interface NewBlueprint {
  /** A UUID; by default a new one. */
  id?: string
  name: string
  description?: string
  documentType?: string
  /** The schema of its first version, which is active; without one there is no version yet. */
  schema?: JsonObject
  /** Percent. */
  accuracy?: number
}

/** The blueprints. */
export interface Blueprints {
  add(scope: string, blueprint: NewBlueprint): Blueprint
  addVersion(blueprint: Blueprint, schema: JsonObject, accuracy: number | undefined): void
  /** A blueprint that the scope may see. */
  find(scope: string, id: string): Blueprint | undefined
  visibleTo(scope: string): Blueprint[]
  activeSchema(blueprint: Blueprint): JsonObject | undefined
  all(): Blueprint[]
  clear(): void
}

/** The scope of blueprints that every key sees. */
export const EVERYBODY = '*'

/** Makes an empty set of blueprints. */
export function createBlueprints(clock: Clock, random: RandomSource): Blueprints {
  const blueprints = new Map<string, Blueprint>()
  const isVisible = (blueprint: Blueprint, scope: string) =>
    blueprint.scope === scope || blueprint.scope === EVERYBODY

  function addVersion(blueprint: Blueprint, schema: JsonObject, accuracy: number | undefined): void {
    const version = blueprint.versions.length + 1
    blueprint.versions.push({
      version,
      schema,
      createdAt: clock.now(),
      ...(accuracy === undefined ? {} : { accuracy }),
    })
    blueprint.activeVersion = version
  }

  return {
    addVersion,
    add(scope, { id = randomUuid(random), name, description, documentType, schema, accuracy }) {
      const blueprint: Blueprint = {
        id: id.toLowerCase(),
        scope,
        name,
        versions: [],
        createdAt: clock.now(),
        ...(description === undefined ? {} : { description }),
        ...(documentType === undefined ? {} : { documentType }),
      }
      blueprints.set(blueprint.id, blueprint)
      if (schema) addVersion(blueprint, schema, accuracy)
      return blueprint
    },
    find(scope, id) {
      const blueprint = blueprints.get(id.toLowerCase())
      return blueprint && isVisible(blueprint, scope) ? blueprint : undefined
    },
    visibleTo: (scope) => [...blueprints.values()].filter((blueprint) => isVisible(blueprint, scope)),
    activeSchema: (blueprint) =>
      blueprint.versions.find(({ version }) => version === blueprint.activeVersion)?.schema,
    all: () => [...blueprints.values()],
    clear: () => blueprints.clear(),
  }
}
