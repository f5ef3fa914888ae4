'use server'

import { isSdkError } from 'identity-service-sdk'
import { redirect } from 'next/navigation'
import { logError, service } from '../service'

/** In a real app, take the customer from your own sign-in, because anyone can fill in a form. */
export async function verify(form: FormData) {
  const customer = form.get('customer')
  // Browsers send it, because the form requires it. Others may not.
  redirect(typeof customer === 'string' && customer !== '' ? await hostedPage(customer) : '/')
}

async function hostedPage(customer: string): Promise<string> {
  try {
    // Resumes an open session, or creates one. Nobody who is approved or in review gets another.
    const { state, url } = await service().verifications.start(customer)
    return state === 'open' ? url : `/customers/${encodeURIComponent(customer)}`
  } catch (error) {
    if (!isSdkError(error)) throw error
    logError(error)
    const request = error.requestId
    return `/unavailable?${new URLSearchParams({ request: request ?? '' })}`
  }
}
