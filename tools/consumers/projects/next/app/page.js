import { readOrganization } from './actions.js'
import { Uploader } from './uploader.js'

export const dynamic = 'force-dynamic'

export default async function Page() {
  return (
    <main>
      <p>action: {await readOrganization()}</p>
      <Uploader baseUrl="/api" />
    </main>
  )
}
