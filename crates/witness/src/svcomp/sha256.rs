//! SHA-256 (FIPS 180-4), by which witnesses name the program they are about. Written out here because it is short and nothing
//! else in Heddle needs a library of hashes.

/// The digest of some bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of some bytes.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    let (round, mut state) = constants();
    for block in padded.chunks_exact(64) {
        compress(&mut state, block, &round);
    }
    let mut digest = [0; 32];
    for (part, word) in digest.chunks_exact_mut(4).zip(state) {
        part.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// The first 32 bits behind the point of the cube roots of the first 64 primes, and of the square roots of the first 8.
fn constants() -> ([u32; 64], [u32; 8]) {
    let is_prime = |n: &u128| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    let (mut round, mut state) = ([0; 64], [0; 8]);
    for (index, prime) in (2u128..).filter(is_prime).take(64).enumerate() {
        round[index] = root(prime << 96, |r| r * r * r) as u32;
        if index < 8 {
            state[index] = root(prime << 64, |r| r * r) as u32;
        }
    }
    (round, state)
}

/// The largest number whose power is not above a limit.
fn root(limit: u128, power: impl Fn(u128) -> u128) -> u128 {
    let (mut low, mut high) = (0u128, 1 << 42);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if power(middle) <= limit {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

fn compress(state: &mut [u32; 8], block: &[u8], round: &[u32; 64]) {
    let mut w = [0u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for i in 16..64 {
        let s0 = w[i - 15].rotate_right(7) ^ w[i - 15].rotate_right(18) ^ (w[i - 15] >> 3);
        let s1 = w[i - 2].rotate_right(17) ^ w[i - 2].rotate_right(19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for i in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let one = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(round[i]).wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let two = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(one), c, b, a, one.wrapping_add(two));
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(add);
    }
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn known_digests_come_out() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex(b""), empty);
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(b"abc"), abc);
        let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(hex(&vec![b'a'; 1_000_000]), million);
    }
}
