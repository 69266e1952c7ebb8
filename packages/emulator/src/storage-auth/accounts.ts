import { EmulatorOptionsError, required } from '../core/errors.ts'
import { randomUuid } from '../core/random.ts'
import type { StorageTools } from './choices.ts'
import type { NewStorageAccount, StorageAccount } from './model.ts'

/** The accounts that can sign in. */
export class Accounts {
  readonly #tools: StorageTools
  readonly #accounts = new Map<string, StorageAccount>()

  constructor(tools: StorageTools) {
    this.#tools = tools
  }

  /** @throws EmulatorOptionsError if an account with this email address already exists. */
  add(given: NewStorageAccount): StorageAccount {
    const { email, id = randomUuid(this.#tools.random) } = given
    if (this.find(email)) throw new EmulatorOptionsError(`The account ${email} already exists.`)
    const account: StorageAccount = {
      name: email.replace(/@.*$/s, ''),
      organizationId: 'org-north',
      role: 'member',
      workspaces: [],
      ...given,
      id,
    }
    this.#accounts.set(this.#tools.choices.normalizeEmail(email), account)
    return account
  }

  find(email: string): StorageAccount | undefined {
    return this.#accounts.get(this.#tools.choices.normalizeEmail(email))
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
