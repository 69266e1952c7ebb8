/** The default export of `concord.config.ts`: the services to generate for. */
export interface Config {
  /**
   * The folder that all paths are relative to. Generated files and messages refer to the contracts by these paths.
   * `root` itself is relative to the config's folder. Default: the config's folder.
   */
  readonly root?: string
  readonly services: readonly ServiceConfig[]
}

/** One service: its contracts, and where its files go. */
export interface ServiceConfig {
  /**
   * Words of lowercase letters and digits, separated by hyphens; the first character is a letter. The generated
   * interface and class are named after this string: `web-shop` makes `WebShopApi` and `WebShop`.
   */
  readonly name: string
  /** The path or http(s) URL of the OpenAPI document (3.0, 3.1 or 3.2; YAML or JSON). */
  readonly openapi?: string
  /**
   * The path or http(s) URL of the AsyncAPI document: 3.0, 3.1, or 2.x (if `@asyncapi/converter` is installed). A
   * service can have an OpenAPI document, an AsyncAPI document or both.
   */
  readonly asyncapi?: string
  /**
   * Paths or http(s) URLs of OpenAPI Overlay documents (1.0 or 1.1). They are applied in the order of this list,
   * before anything is generated. If the service has an OpenAPI and an AsyncAPI document, an overlay whose `extends`
   * names the AsyncAPI document applies to that document. Any other overlay applies to the OpenAPI document.
   */
  readonly overlays?: readonly string[]
  /** Also writes the contracts with their overlays applied, for tools that don't read overlays. */
  readonly overlaid?: OverlaidOutput
  /** The folder for generated files, or two folders in two packages: one for the client, one for its validators. */
  readonly output: string | SplitOutput
  /** The name of the client class. `false` generates no class, so you can write one. Default: derived from `name`. */
  readonly className?: string | false
  /**
   * If `true`, the command fails on everything that the fidelity report would list, including notes. The README
   * describes two exceptions. Default: false.
   */
  readonly strict?: boolean
  /**
   * The minimum percentage (0 to 100) of places that must be generated exactly. A place is a schema, a parameter, a
   * body or a response. If the percentage is lower, no generated file is written, and the command exits with 1.
   */
  readonly minFidelity?: number
  /**
   * Hosts, such as `schemas.example.com`, from which a `$ref` can load documents. The hosts of the URLs in the config
   * are always allowed. Default: none.
   */
  readonly allowHosts?: readonly string[]
  /**
   * The extension in imports between generated files. `.ts` is for Node, and for compilers with
   * `allowImportingTsExtensions` or `rewriteRelativeImportExtensions`; `.js` is for all other compilers. Default:
   * `.js`.
   */
  readonly importExtension?: '.ts' | '.js'
  /**
   * Writes every schema with an explicit type, such as `z.ZodType<Job>`, as TypeScript's option of the same name
   * requires. Schemas then lack the methods that only some kinds of schema have, such as `extend`. Default: false.
   */
  readonly isolatedDeclarations?: boolean
  /**
   * The path of the client's index module, which you maintain. The module must export every operation and channel.
   * If the module contains two marker comments, the generator writes the contract's exports between them. The error
   * about a missing export shows the marker comments.
   */
  readonly index?: string
  /**
   * The path of a README that you maintain. If the README contains the two comments
   * `<!-- generated from x-retry and x-outcome: begin -->` and `<!-- end -->`, the generator writes a section between
   * them. The section says for which operations a failed call may have taken effect.
   */
  readonly readme?: string
}

/**
 * The paths of JSON copies of the contracts, with the overlays applied. Relative references in a copy aren't changed,
 * so write each copy into the folder of its contract.
 */
export interface OverlaidOutput {
  readonly openapi?: string
  readonly asyncapi?: string
}

/** The folders of a client and its validators, in two packages. Only the validators need zod. */
export interface SplitOutput {
  /** The folder of the operations, the API and the channels. */
  readonly client: string
  /** The folder of the types and schemas. */
  readonly validators: string
  /**
   * The name of the package from which the client imports the validators. The package's index must export everything
   * from `index.gen.ts`.
   */
  readonly validatorsPackage: string
}

/** Returns the config unchanged. With this function, editors and the compiler know the types of the members. */
export function defineConfig(config: Config): Config {
  return config
}
