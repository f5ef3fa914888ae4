import { verify } from './verify'

export default function Page() {
  return (
    <form action={verify}>
      <label>
        Your name <input name="customer" defaultValue="ada" required />
      </label>
      <button type="submit">Verify me</button>
    </form>
  )
}
