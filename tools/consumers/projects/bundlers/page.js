// All clients, for a page.
import { Extraction } from '@concord/extraction'
import { Media } from '@concord/media'
import { Speech } from '@concord/speech'
import { StorageAuth } from '@concord/storage-auth'

globalThis.clients = { Extraction, Media, Speech, StorageAuth }
