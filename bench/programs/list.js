// Reads a list once and prints the peak memory of the process, in MiB. Arguments: the row, the kind of list, its length.
import { works } from '../works/list.js'

const [name = '', kind = '', length = ''] = process.argv.slice(2)
const work = await works(kind, length)[name]?.()
await work?.()
console.log(process.resourceUsage().maxRSS / 1024)
process.exit()
