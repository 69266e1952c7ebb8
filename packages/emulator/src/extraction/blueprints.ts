import { defined, type JsonObject } from '../core/json.ts'
import { randomUuid } from '../core/random.ts'
import type { Blueprint, BlueprintVersion } from './model.ts'
import type { ExtractionTools } from './choices.ts'

/** A blueprint to add. @public */
export interface NewBlueprint {
  /** The blueprint's id, a UUID. By default, the emulator generates one. */
  readonly id?: string
  readonly name: string
  readonly description?: string
  readonly documentType?: string
  /** The schema of the first version, which becomes the active version. By default, the blueprint has no version. */
  readonly schema?: JsonObject
  /** The accuracy of the first version, in percent. */
  readonly accuracy?: number
}

/** The scope of blueprints that every key can see. */
export const EVERY_KEY = '*'

export class Blueprints {
  readonly #tools: ExtractionTools
  readonly #blueprints = new Map<string, Blueprint>()

  constructor(tools: ExtractionTools) {
    this.#tools = tools
  }

  add(
    scope: string,
    { id = randomUuid(this.#tools.random), schema, accuracy, ...facts }: NewBlueprint,
  ): Blueprint {
    const createdAt = this.#tools.clock.now()
    const added: Blueprint = { ...facts, id: id.toLowerCase(), scope, versions: [], createdAt }
    this.#blueprints.set(added.id, added)
    if (schema) this.addVersion(added, schema, accuracy)
    return added
  }

  addVersion(blueprint: Blueprint, schema: JsonObject, accuracy: number | undefined): void {
    const version = blueprint.versions.length + 1
    const createdAt = this.#tools.clock.now()
    blueprint.versions.push({ version, schema, createdAt, ...defined({ accuracy }) })
    blueprint.activeVersion = version
  }

  find(scope: string, id: string): Blueprint | undefined {
    const blueprint = this.#blueprints.get(id.toLowerCase())
    return blueprint && isVisible(blueprint, scope) ? blueprint : undefined
  }

  visibleTo(scope: string): Blueprint[] {
    return this.all().filter((blueprint) => isVisible(blueprint, scope))
  }

  all(): Blueprint[] {
    return [...this.#blueprints.values()]
  }

  clear(): void {
    this.#blueprints.clear()
  }
}

export function activeVersionOf({ versions, activeVersion }: Blueprint): BlueprintVersion | undefined {
  return versions.find(({ version }) => version === activeVersion)
}

function isVisible({ scope }: Blueprint, wanted: string): boolean {
  return scope === wanted || scope === EVERY_KEY
}
