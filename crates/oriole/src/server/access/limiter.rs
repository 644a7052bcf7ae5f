//! How often someone may do something.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::server::Problem;

/// Addresses remembered. When there are more, those who have waited long enough are forgotten, and if need be all.
const MOST_ADDRESSES: usize = 10_000;

/// A bucket for each address: so many at once, and so many more each second.
pub(super) struct Limiter {
    per_second: f64,
    at_once: f64,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Limiter {
    pub(super) fn new(per_second: f64, at_once: f64) -> Self {
        Self { per_second, at_once, buckets: Mutex::default() }
    }

    /// Takes one.
    ///
    /// # Errors
    /// If none is left; it says when there will be.
    pub(super) fn take(&self, address: IpAddr, now: Instant) -> Result<(), Problem> {
        self.look(address, now, 1.0)
    }

    /// Whether one is left; it stays.
    ///
    /// # Errors
    /// If none is left; it says when there will be.
    pub(super) fn check(&self, address: IpAddr, now: Instant) -> Result<(), Problem> {
        self.look(address, now, 0.0)
    }

    fn look(&self, address: IpAddr, now: Instant, taken: f64) -> Result<(), Problem> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_ADDRESSES {
            buckets.retain(|_, bucket| self.filled(bucket, now) < self.at_once);
        }
        if buckets.len() >= MOST_ADDRESSES {
            buckets.clear();
        }
        let bucket = buckets.entry(network(address)).or_insert(Bucket { left: self.at_once, at: now });
        *bucket = Bucket { left: self.filled(bucket, now), at: now };
        if bucket.left < 1.0 {
            return Err(Problem::too_many(((1.0 - bucket.left) / self.per_second).ceil()));
        }
        bucket.left -= taken;
        Ok(())
    }

    fn filled(&self, bucket: &Bucket, now: Instant) -> f64 {
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        (bucket.left + since * self.per_second).min(self.at_once)
    }
}

/// Who has one address of IPv6 has 2^64 of them.
pub(in crate::server) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn so_many_at_once_and_so_many_a_second() {
        let (limiter, start) = (Limiter::new(2.0, 3.0), Instant::now());
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        assert!((0..3).all(|_| limiter.take(one, at(0.0)).is_ok()));
        assert!(limiter.take(one, at(0.4)).is_err() && limiter.take(other, at(0.4)).is_ok());
        assert!(limiter.take(one, at(0.5)).is_ok() && limiter.take(one, at(0.5)).is_err());
        assert_eq!((0..9).filter(|_| limiter.take(one, at(1_000.0)).is_ok()).count(), 3);
    }

    #[test]
    fn a_network_of_ipv6_is_one_address_and_memory_is_bounded() {
        let (limiter, now) = (Limiter::new(1.0, 1.0), Instant::now());
        let six = |high: u16, low: u16| IpAddr::from([0x2001, 0xdb8, 0, high, 0, 0, 0, low]);
        assert!(limiter.take(six(1, 1), now).is_ok() && limiter.take(six(1, 2), now).is_err());
        (0..30_000u32).for_each(|number| _ = limiter.take(IpAddr::from(number.to_be_bytes()), now));
        assert!(limiter.buckets.lock().unwrap().len() <= MOST_ADDRESSES);
    }
}
