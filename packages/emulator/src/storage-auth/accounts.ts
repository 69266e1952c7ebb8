import { EmulatorOptionsError, required } from '../core/errors.ts'
import { randomUuid, type RandomSource } from '../core/random.ts'
import type { StorageAuthChoices } from './choices.ts'
import type { NewStorageAccount, StorageAccount } from './model.ts'

/** The accounts that can sign in. */
export class Accounts {
  readonly #random: RandomSource
  readonly #choices: StorageAuthChoices
  readonly #accounts = new Map<string, StorageAccount>()

  constructor({ random, choices }: { random: RandomSource; choices: StorageAuthChoices }) {
    this.#random = random
    this.#choices = choices
  }

  /** @throws EmulatorOptionsError if an account with this email address already exists. */
  add({ email, password, image, ...given }: NewStorageAccount): StorageAccount {
    if (this.find(email)) throw new EmulatorOptionsError(`The account ${email} already exists.`)
    const account: StorageAccount = {
      id: given.id ?? randomUuid(this.#random),
      email,
      ...(password === undefined ? {} : { password }),
      name: given.name ?? email.replace(/@.*$/s, ''),
      ...(image === undefined ? {} : { image }),
      organizationId: given.organizationId ?? 'org-north',
      role: given.role ?? 'member',
      workspaces: given.workspaces ?? [],
    }
    this.#accounts.set(this.#choices.normalizeEmail(email), account)
    return account
  }

  find(email: string): StorageAccount | undefined {
    return this.#accounts.get(this.#choices.normalizeEmail(email))
  }

  /** @throws EmulatorOptionsError if the account doesn't exist. */
  get(email: string): StorageAccount {
    return required(this.find(email), `account ${email}`)
  }

  all(): StorageAccount[] {
    return [...this.#accounts.values()]
  }

  clear(): void {
    this.#accounts.clear()
  }
}
